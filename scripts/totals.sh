# For the scripts that run tests: `totals_add NAME PASSED FAILED` prints one line, and hands it to scripts/test, which
# sums all stages up.
totals_add() {
    printf '%s: %d passed, %d failed\n' "$1" "$2" "$3"
    [ -z "${ALFRED_TOTALS:-}" ] || printf '%d %d %s\n' "$2" "$3" "$1" >>"$ALFRED_TOTALS"
    [ "$3" = 0 ]
}
