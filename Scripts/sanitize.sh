#!/bin/sh
# The tests under a sanitizer of the compiler. What it reports is in .build-SANITIZER/reports, a file for each process; any
# report fails the run.
#
#     Scripts/sanitize.sh address|thread [OPTION ...]      options of `swift test`, such as --filter
set -eu
cd "$(dirname "$0")/.."
sanitizer=${1:-address}
[ $# -eq 0 ] || shift
build=.build-$sanitizer
reports=$PWD/$build/reports
case $sanitizer in
    # Leaks are looked for by the tests themselves: the runtimes keep much on purpose.
    address) export ASAN_OPTIONS="detect_leaks=0:log_path=$reports/report" ;;
    thread) export TSAN_OPTIONS="suppressions=$PWD/Scripts/thread-sanitizer.txt:log_path=$reports/report:exitcode=0" ;;
    *) echo "sanitize: $sanitizer is no sanitizer; say address or thread" >&2; exit 64 ;;
esac
swift build --build-tests --sanitize="$sanitizer" --scratch-path "$build" 2>&1 | grep -v "Cannot export local symbol"
rm -rf "$reports"
mkdir -p "$reports"
status=0
# Left out: programs that may take no more memory or threads, and clients that swift builds meanwhile.
swift test --skip-build --sanitize="$sanitizer" --scratch-path "$build" --skip LimitTests --skip ConsumerTests "$@" || status=$?
found=$(find "$reports" -type f -size +0 | wc -l)
[ "$found" = 0 ] || echo "sanitize: $found processes have reports, in $reports"
[ "$found" = 0 ] && [ "$status" = 0 ]
