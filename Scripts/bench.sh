#!/bin/sh
# Builds the benchmarks and runs them: the library's cost beside equal programs in C.
#
#     Scripts/bench.sh [--json] [--check-instructions] [--control] [...]      --help lists the rest
#
# PIPEBUS_BENCH_SCRATCH names the build folder, Benchmarks/.build unless set. With PIPEBUS_ONLY_BUILD nothing is run.
set -eu
cd "$(dirname "$0")/../Benchmarks"
scratch=${PIPEBUS_BENCH_SCRATCH:-.build}
pkg-config --exists libpipewire-0.3 jack samplerate soxr speexdsp ||
    { echo "bench: headers are missing; install them: sh Scripts/setup.sh" >&2; exit 1; }
log=$(mktemp)
# The build's output is shown only if it fails; standard output is for the figures. The build plan is made again, because
# a cached one does not see files that were added or removed in the package above.
swift build -c release --scratch-path "$scratch" --disable-build-manifest-caching > "$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
rm -f "$log"
[ -z "${PIPEBUS_ONLY_BUILD:-}" ] || exit 0
exec "$(swift build -c release --scratch-path "$scratch" --show-bin-path 2> /dev/null)/bench" "$@"
