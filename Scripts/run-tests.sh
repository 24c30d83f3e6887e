#!/bin/sh
# Runs the tests that are built, and gives those that failed one more chance, alone. On a busy machine a process can
# be suspended for longer than any bounded wait; a defect fails twice. Failures are listed again at the end, with their
# messages, whether the second run passed or not.
#
#     Scripts/run-tests.sh [OPTION ...] [-- OPTION ...]      options of `swift test`, such as --filter
#
# Tests after "--" run in a process of their own at the same time. Their output is printed when both have ended.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs the tests with these options; their output is seen, and kept in $work/NAME, their status in $work/NAME.status.
tests() {
    name=$1
    shift
    # SwiftPM would let one run wait for the other, although neither builds anything.
    { swift test --skip-build --ignore-lock "$@" 2>&1 && echo 0 > "$work/$name.status" ||
        echo "$?" > "$work/$name.status"; } | tee "$work/$name"
}

failures() {
    # "Class.test" of each test that failed.
    sed -n "s/^Test Case '\\(.*\\)' failed (.*/\\1/p" "$@" | sort -u
}

messages() {
    grep -h -E "^[^ ]+:[0-9]+: error: |Fatal error|signal code" "$@" || true
}

first=
second=
beside=
for option; do
    case $beside$option in
        --) beside=yes ;;
        yes*) second="$second $option" ;;
        *) first="$first $option" ;;
    esac
done
# Word splitting is meant: a filter has no spaces.
if [ -n "$second" ]; then
    tests second $second > /dev/null &
    tests first $first
    wait $!
    echo
    echo "== meanwhile:$second"
    cat "$work/second"
else
    tests first $first
fi
runs="first${second:+ second}"

status=0
for run in $runs; do
    [ "$(cat "$work/$run.status")" = 0 ] || status=$(cat "$work/$run.status")
done
[ "$status" != 0 ] || exit 0
cd "$work"
failures $runs > failed
messages $runs > messages
# Only runs that came to their end have a second chance: after a crash the state is unknown.
for run in $runs; do
    [ "$(cat "$run.status")" = 0 ] || { failures "$run" | grep -q . && grep -q "^Test Suite '.* tests' failed" "$run"; } || {
        echo "tests: ended with status $(cat "$run.status"):"
        cat messages
        exit "$(cat "$run.status")"
    }
done

# A soak repeats the decisions of the run that failed.
seed=$(awk '/^soak: seed [0-9]+,/ { seed = $3 + 0 } /^Test Case .SoakTests\..*failed/ { print seed; exit }' $runs)
[ -z "$seed" ] || export PIPEBUS_SOAK_SEED="$seed"

echo
echo "== once more, alone: $(tr '\n' ' ' < failed)"
set --
while IFS= read -r name; do
    set -- "$@" --filter "\\.${name%.*}/${name##*.}\$"
done < failed
cd "$OLDPWD"
tests again "$@"

echo
echo "tests: failed at first:"
cat "$work/messages"
if [ "$(cat "$work/again.status")" = 0 ]; then
    echo "tests: passed when they ran again, alone."
    exit 0
fi
echo "tests: and again:"
messages "$work/again"
exit 1
