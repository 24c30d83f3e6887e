#!/bin/sh
# The ends of streams, writers, multi-streams and monitors, each on a thread of its own, under ThreadSanitizer. It is first shown
# pairs with a known race, which it must find.
#
#     Scripts/hammer.sh
#
# With PIPEBUS_ONLY_BUILD nothing is run.
set -eu
cd "$(dirname "$0")/.."
# Without the tools and the other tests, whose build would take longer than the hammers.
export PIPEBUS_HAMMERS=1 PIPEBUS_SANITIZER_SCRATCH="$PWD/.build-hammers"
[ -z "${PIPEBUS_ONLY_BUILD:-}" ] || exec sh Scripts/sanitize.sh thread
reports=$PIPEBUS_SANITIZER_SCRATCH/reports
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for race in testAnIndexThatIsNotReleased testSamplesThatAreReadBeforeTheirRecord; do
    if PIPEBUS_RACES=1 sh Scripts/sanitize.sh thread --filter "RacyPairTests/$race" > "$log" 2>&1 ||
        ! grep -q -r "WARNING: ThreadSanitizer: data race" "$reports" 2> /dev/null; then
        echo "hammer: the race of $race was not found:" >&2
        cat "$log" >&2
        exit 1
    fi
    echo "ok      $race: its race is found"
done
sh Scripts/sanitize.sh thread --filter HammerTests
