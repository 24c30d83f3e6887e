#!/bin/sh
# Runs the tests that are built, and gives those that failed one more chance, alone. On a busy machine a process can
# be suspended for longer than any bounded wait; a defect fails twice. Failures are listed again at the end, with their
# messages, whether the second run passed or not.
#
#     Scripts/run-tests.sh [OPTION ...] [-- OPTION ...]      options of `swift test`, such as --filter
#
# Each "--" begins another group of tests, which runs in a process of its own at the same time. The output of the first
# group is seen as it comes, that of the others when all have ended.
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

# The options of group N are in $work/options.N.
count=1
: > "$work/options.1"
for option; do
    case $option in
        --) count=$((count + 1)) && : > "$work/options.$count" ;;
        *) printf ' %s' "$option" >> "$work/options.$count" ;;
    esac
done
runs=$(seq -s ' ' "$count")
waiting=
# Word splitting is meant: a filter has no spaces. Nor is one a pattern of file names.
set -f
for run in $(seq 2 "$count"); do
    tests "$run" $(cat "$work/options.$run") > /dev/null &
    waiting="$waiting $!"
done
tests 1 $(cat "$work/options.1")
for process in $waiting; do wait "$process"; done
set +f
for run in $(seq 2 "$count"); do
    echo
    echo "== meanwhile:$(cat "$work/options.$run")"
    cat "$work/$run"
done

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
