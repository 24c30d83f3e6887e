#!/bin/sh
# The tests under a sanitizer of the compiler. What it reports is in .build-SANITIZER/reports, a file for each process; any
# report fails the run.
#
#     Scripts/sanitize.sh address|thread [OPTION ...]      options of `swift test`, such as --filter
#
# PIPEBUS_SANITIZER_SCRATCH names another build folder. With PIPEBUS_ONLY_BUILD nothing is run.
set -eu
cd "$(dirname "$0")/.."
sanitizer=${1:-address}
[ $# -eq 0 ] || shift
build=${PIPEBUS_SANITIZER_SCRATCH:-$PWD/.build-$sanitizer}
reports=$build/reports
# Tests know by it that everything takes several times as long, and more memory.
export PIPEBUS_SANITIZER="$sanitizer"
# The handler of Swift's runtime reads the whole stack of a process that crashes, as some tests want.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$build"
linked=
case $sanitizer in
    # Leaks are looked for by the tests themselves: the runtimes keep much on purpose.
    address) export ASAN_OPTIONS="detect_leaks=0:log_path=$reports/report" ;;
    thread)
        # Without the last, every process waits for a second before it ends.
        options=exitcode=0:atexit_sleep_ms=0
        export TSAN_OPTIONS="suppressions=$PWD/Scripts/thread-sanitizer.txt:log_path=$reports/report:$options"
        # Without it every Mutex that two threads want at once gives a report.
        linked=$build/swift_mutex.o
        "${CC:-clang}" -std=c17 -O1 -g -Wall -Wextra -Werror -fPIC -c Tests/ThreadSanitizer/swift_mutex.c -o "$linked"
        ;;
    *) echo "sanitize: $sanitizer is no sanitizer; say address or thread" >&2; exit 64 ;;
esac
# One warning a function of the sanitizer, from the linker, would hide the others.
if ! swift build --build-tests --sanitize="$sanitizer" --scratch-path "$build" ${linked:+-Xlinker "$linked"} \
    > "$build/build.log" 2>&1; then
    grep -v "Cannot export local symbol" "$build/build.log"
    exit 1
fi
[ -z "${PIPEBUS_ONLY_BUILD:-}" ] || exit 0
rm -rf "$reports"
mkdir -p "$reports"
status=0
# Left out: programs that may take no more memory or threads, and clients that swift builds meanwhile.
swift test --skip-build --sanitize="$sanitizer" --scratch-path "$build" --skip LimitTests --skip ConsumerTests \
    --skip HostileClientTests "$@" || status=$?
# In a process of its own: libpipewire leaves thousands of descriptors open in it.
[ $# -gt 0 ] || swift test --skip-build --sanitize="$sanitizer" --scratch-path "$build" --filter HostileClientTests \
    || status=$?
found=$(find "$reports" -type f -size +0 | wc -l)
[ "$found" = 0 ] || echo "sanitize: $found processes have reports, in $reports"
[ "$found" = 0 ] && [ "$status" = 0 ]
