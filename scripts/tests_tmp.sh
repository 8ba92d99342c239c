# For the scripts that run tests: temporary files are kept in memory, if there is room. The tests make hundreds of
# databases, and each of their commits waits for fsync on a disk. No test cuts the power, so none needs a disk.
# A TMPDIR of the caller is used as it is. Sets $tests_tmp, which the script removes at its end.
TESTS_TMP_ROOM_KB=$((2 * 1024 * 1024)) # Chromium's shared memory included

tests_tmp=$(
    if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && ! grep -qE '^[^ ]+ /dev/shm [^ ]+ [^ ]*noexec' /proc/mounts &&
        [ "$(df -k --output=avail /dev/shm | tail -n 1)" -ge "$TESTS_TMP_ROOM_KB" ]; then
        mktemp -d /dev/shm/alfred-XXXXXX
    else
        mktemp -d
    fi
)
export TMPDIR=$tests_tmp
