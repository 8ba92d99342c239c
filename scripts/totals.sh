# For the scripts that run tests: `totals_add NAME PASSED FAILED SKIPPED` prints one line and appends it to the file
# $ALFRED_TOTALS, from which scripts/test computes the sum of all stages.
totals_add() {
    printf '%s: %d passed, %d failed, %d skipped\n' "$1" "$2" "$3" "$4"
    [ -z "${ALFRED_TOTALS:-}" ] || printf '%d %d %d %s\n' "$2" "$3" "$4" "$1" >>"$ALFRED_TOTALS"
    [ "$3" = 0 ]
}
