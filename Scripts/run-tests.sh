#!/bin/sh
# Runs the tests that are built, and gives those that failed one more chance, alone. On a busy machine a process can
# be suspended for longer than any bounded wait; a defect fails twice. Failures are listed again at the end, with their
# messages, whether the second run passed or not.
#
#     Scripts/run-tests.sh [OPTION ...]      options of `swift test`, such as --filter
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs the tests with these options; their output is seen, and kept in $work/output.
tests() {
    { swift test --skip-build "$@" 2>&1 || echo "$?" > "$work/status"; } | tee "$work/output"
    [ ! -e "$work/status" ]
}

failures() {
    # "Class.test" of each test that failed.
    sed -n "s/^Test Case '\\(.*\\)' failed (.*/\\1/p" "$work/output" | sort -u
}

messages() {
    grep -E "^[^ ]+:[0-9]+: error: |Fatal error|signal code" "$work/output" || true
}

if tests "$@"; then
    exit 0
fi
status=$(cat "$work/status")
failures > "$work/failed"
messages > "$work/messages"
# Only a run that came to its end has a second chance: after a crash the state is unknown.
if [ ! -s "$work/failed" ] || ! grep -q "^Test Suite '.* tests' failed" "$work/output"; then
    echo "tests: ended with status $status:"
    cat "$work/messages"
    exit "$status"
fi

# A soak repeats the decisions of the run that failed.
seed=$(awk '/^soak: seed [0-9]+,/ { seed = $3 + 0 } /^Test Case .SoakTests\..*failed/ { print seed; exit }' "$work/output")
[ -z "$seed" ] || export PIPEBUS_SOAK_SEED="$seed"

echo
echo "== once more, alone: $(tr '\n' ' ' < "$work/failed")"
set --
while IFS= read -r name; do
    set -- "$@" --filter "\\.${name%.*}/${name##*.}\$"
done < "$work/failed"
rm "$work/status"
again=0
tests "$@" || again=1

echo
echo "tests: failed at first:"
cat "$work/messages"
if [ "$again" = 0 ]; then
    echo "tests: passed when they ran again, alone."
else
    echo "tests: and again:"
    messages
fi
exit "$again"
