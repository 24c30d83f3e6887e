#!/bin/sh
# Proves that nothing on the audio thread allocates, locks, calls the system, retains or checks exclusivity: the probe
# takes every kind of port through every state under two checkers. Each checker is first shown to be alive, by
# violations that it must find.
#
#     Scripts/test-realtime.sh [CONFIGURATION ...]      debug and release unless given
#
# PIPEBUS_SCRATCH names the build folder, .build unless set.
set -eu
cd "$(dirname "$0")/.."
scratch=${PIPEBUS_SCRATCH:-.build}
work=$(mktemp -d)
# A probe that is stopped in its tracks leaves its folder behind: here it goes with ours.
export TMPDIR="$work"
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

# The same probe with the libraries of another PipeWire, which it hosts itself.
newer=.build/pipewire-1.4
preload_newer() {
    libraries=$(echo "$PWD/$newer"/usr/lib/*-linux-gnu)
    LD_LIBRARY_PATH=$libraries SPA_PLUGIN_DIR=$libraries/spa-0.2 PIPEWIRE_MODULE_DIR=$libraries/pipewire-0.3 \
        PIPEWIRE_CONFIG_DIR=$PWD/$newer/usr/share/pipewire preload "$@"
}

sh Tests/RealtimeChecker/build.sh "$work/librtcheck.so"

for configurations in "${@:-debug release}"; do
    # Word splitting is meant: "debug release" is the default.
    for configuration in $configurations; do
        swift build -c "$configuration" --scratch-path "$scratch" --product realtime-probe > "$work/build" 2>&1 ||
            { cat "$work/build"; exit 1; }
        probe=$(swift build -c "$configuration" --scratch-path "$scratch" --show-bin-path)/realtime-probe
        sh Scripts/link-with-rtsan.sh realtime-probe "$configuration" "$work/probe-rtsan" "$scratch"

        for violation in malloc lock; do
            check "$configuration, RealtimeSanitizer finds $violation" 43 "RealtimeSanitizer" \
                "$work/probe-rtsan" 20 "$violation"
        done
        check "$configuration, RealtimeSanitizer: every kind of port is clean" 0 "receiver cycles=" \
            "$work/probe-rtsan" 500

        check "$configuration, rtcheck finds malloc" 44 "RTCHECK: malloc" preload "$probe" 20 malloc
        check "$configuration, rtcheck finds lock" 44 "RTCHECK: pthread_mutex_lock" preload "$probe" 20 lock
        check "$configuration, rtcheck finds syscall" 44 "RTCHECK: system call" preload "$probe" 20 syscall
        check "$configuration, rtcheck finds retain" 44 "RTCHECK: swift_retain" preload "$probe" 20 retain
        check "$configuration, rtcheck finds exclusivity" 44 "RTCHECK: swift_beginAccess" preload "$probe" 20 exclusivity
        # At least 1000 scopes, and both kinds of watching at work: a checker that never looked proves nothing.
        clean="program=realtime-probe .*scopes=[0-9]\{4,\} violations=0 system-calls=watched swift=watched"
        check "$configuration, rtcheck: every kind of port is clean" 0 "$clean" preload "$probe" 500
        if [ -d "$newer" ]; then
            check "$configuration, rtcheck: clean with PipeWire 1.4 too" 0 "$clean" preload_newer "$probe" 500
        fi
    done
done

echo "realtime: $passed passed, $failed failed"
[ "$failed" = 0 ]
