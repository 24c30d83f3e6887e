#!/bin/sh
# Feeds random input to the code that reads what other processes send, two targets at a time.
#
#     Scripts/fuzz.sh [SECONDS] [TARGET ...]      60 seconds each, and all targets, unless given
#
# Ends with 1 if a target fails, and names the file with the input that makes it fail. PIPEBUS_FUZZ_SCRATCH names the
# build folder, Fuzzing/.build unless set. With PIPEBUS_ONLY_BUILD nothing is run. The inputs found in a run stay there, in corpus/.
set -eu
cd "$(dirname "$0")/../Fuzzing"
seconds=${1:-60}
[ $# -eq 0 ] || shift
# Word splitting is meant.
[ $# -gt 0 ] || set -- $(ls Corpus)
case $seconds in '' | *[!0-9]* | 0*) echo "fuzz: the time must be a number of seconds, 1 or more" >&2; exit 2 ;; esac
for target; do
    [ -d "Corpus/$target" ] || { echo "fuzz: there is no target $target; there are: $(ls Corpus | tr '\n' ' ')" >&2; exit 2; }
done

scratch=${PIPEBUS_FUZZ_SCRATCH:-.build}
# libFuzzer's own library without a main function: a Swift program has one.
resources=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/clang
PIPEBUS_FUZZER_RUNTIME=$(find "$resources/" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" | head -n 1)
[ -n "$PIPEBUS_FUZZER_RUNTIME" ] || { echo "fuzz: this Swift has no libFuzzer in $resources" >&2; exit 2; }
export PIPEBUS_FUZZER_RUNTIME
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The build plan is made again, because a cached one does not see files that were added or removed in the folder above.
swift build -c release --scratch-path "$scratch" --disable-build-manifest-caching > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
[ -z "${PIPEBUS_ONLY_BUILD:-}" ] || exit 0
fuzz=$(cd "$(swift build -c release --scratch-path "$scratch" --show-bin-path 2> /dev/null)" && pwd)/fuzz

work=$(cd "$scratch" && pwd)
mkdir -p "$work/logs" "$work/failures"

# A target, its time and further arguments. Swift's own report of a crash would hide libFuzzer's.
run() {
    target=$1
    time=$2
    shift 2
    mkdir -p "$work/corpus/$target"
    SWIFT_BACKTRACE=enable=no "$fuzz" "$target" -max_total_time="$time" -timeout=10 -rss_limit_mb=1024 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="$work/failures/$target-" "$@" > "$work/logs/$target" 2>&1
}

# Some time for a target with a known defect: without its failure, that of others means nothing.
if run control 60 "$work/corpus/control" || ! grep -q "the control's defect" "$work/logs/control"; then
    echo "fuzz: the control was not found to fail; see $work/logs/control" >&2
    exit 1
fi
rm -rf "$work/failures/control-"* "$work/corpus/control"
echo "control: fails, as it must"

report() {
    if [ "$2" = 0 ]; then
        awk -v target="$1" '
            /^stat::number_of_executed_units/ { executions = $2 }
            /^stat::average_exec_per_sec/ { rate = $2 }
            /^stat::peak_rss_mb/ { memory = $2 }
            / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") coverage = $(i + 1) }
            END { print target ": " executions " executions, " rate " per second, " coverage " edges, " memory " MB" }
        ' "$work/logs/$1"
        return
    fi
    failed=1
    grep -E 'Fatal error|ERROR|SUMMARY' "$work/logs/$1" | sed "s/^/$1: /"
    reproducer=$(sed -n 's/.*Test unit written to //p' "$work/logs/$1" | tail -n 1)
    echo "$1: FAILED; see $work/logs/$1"
    [ -z "$reproducer" ] || echo "$1: once more: $fuzz $1 $reproducer"
}

failed=0
while [ $# -gt 0 ]; do
    first=$1
    shift
    run "$first" "$seconds" "$work/corpus/$first" "Corpus/$first" &
    one=$!
    second=
    if [ $# -gt 0 ]; then
        second=$1
        shift
        run "$second" "$seconds" "$work/corpus/$second" "Corpus/$second" &
        other=$!
    fi
    status=0
    wait "$one" || status=$?
    report "$first" "$status"
    [ -n "$second" ] || continue
    status=0
    wait "$other" || status=$?
    report "$second" "$status"
done
exit "$failed"
