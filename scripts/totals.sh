# For the scripts that run tests: `totals_add NAME PASSED FAILED SKIPPED` prints one line and appends it to the file
# $ALFRED_TOTALS, from which scripts/test computes the sum of all stages.
totals_add() {
    printf '%s: %d passed, %d failed, %d skipped\n' "$1" "$2" "$3" "$4"
    [ -z "${ALFRED_TOTALS:-}" ] || printf '%d %d %d %s\n' "$2" "$3" "$4" "$1" >>"$ALFRED_TOTALS"
    [ "$3" = 0 ]
}
# `failed_add TEXT`: a line about one failed test, which scripts/test repeats beside the sum: the end of a long output is
# what a reader sees first, or all that was kept.
failed_add() { [ -z "${ALFRED_TOTALS:-}" ] || printf -- '- %s\n' "$1" >>"$ALFRED_TOTALS"; }
