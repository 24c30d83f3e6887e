#!/bin/sh
# Proves that the conversion of formats, channels and rates neither allocates nor locks, calls the system, retains or checks
# exclusivity: a probe takes the converters through all of them under two checkers, which are first shown violations that they
# must find. No PipeWire is needed.
#
#     Scripts/test-conversion.sh [CONFIGURATION ...]      debug and release unless given
#
# PIPEBUS_SCRATCH names the build folder, .build-pure unless set.
set -eu
cd "$(dirname "$0")/.."
export PIPEBUS_PURE=1
scratch=${PIPEBUS_SCRATCH:-.build-pure}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# A check's name, the status it must end with, a text its output must have, and the command.
check() {
    name=$1 status=$2 text=$3
    shift 3
    actual=0
    "$@" > "$work/output" 2>&1 || actual=$?
    if [ "$actual" = "$status" ] && grep -q -e "$text" "$work/output"; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name: status $actual instead of $status, or no \"$text\" in:"
        tail -n 40 "$work/output"
    fi
}

preload() {
    LD_PRELOAD="$work/librtcheck.so" "$@"
}

sh Tests/RealtimeChecker/build.sh "$work/librtcheck.so"

for configurations in "${@:-debug release}"; do
    # Word splitting is meant: "debug release" is the default.
    for configuration in $configurations; do
        swift build -c "$configuration" --scratch-path "$scratch" --product conversion-probe > "$work/build" 2>&1 ||
            { cat "$work/build"; exit 1; }
        probe=$(swift build -c "$configuration" --scratch-path "$scratch" --show-bin-path)/conversion-probe
        sh Scripts/link-with-rtsan.sh conversion-probe "$configuration" "$work/probe-rtsan" "$scratch"

        for violation in malloc lock; do
            check "$configuration, RealtimeSanitizer finds $violation" 43 "RealtimeSanitizer" \
                "$work/probe-rtsan" 5 "$violation"
        done
        check "$configuration, RealtimeSanitizer: every converter is clean" 0 "conversion: frames=" \
            "$work/probe-rtsan" 20

        check "$configuration, rtcheck finds malloc" 44 "RTCHECK: malloc" preload "$probe" 5 malloc
        check "$configuration, rtcheck finds lock" 44 "RTCHECK: pthread_mutex_lock" preload "$probe" 5 lock
        check "$configuration, rtcheck finds syscall" 44 "RTCHECK: system call" preload "$probe" 5 syscall
        # At least 1000 scopes, and both kinds of watching at work: a checker that never looked proves nothing.
        check "$configuration, rtcheck: every converter is clean" 0 \
            "program=conversion-probe .*scopes=[0-9]\{4,\} violations=0 system-calls=watched swift=watched" \
            preload "$probe" 20
    done
done

echo "conversion: $passed passed, $failed failed"
[ "$failed" = 0 ]
