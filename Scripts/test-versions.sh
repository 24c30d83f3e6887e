#!/bin/sh
# The tests that use a daemon, with PipeWire 1.4: its daemon with clients of the system's version, and all of 1.4.
# The system's daemon with the system's clients is what `make test` runs. Clients of 1.4 with an older daemon are tried by
# NewerPipeWireTests and NewerClientTests alone: PipeBus refuses their filters and receivers, which could not hear anything.
#
#     Scripts/test-versions.sh [OPTION ...]      options of `swift test`, such as --filter
set -eu
cd "$(dirname "$0")/.."
status=0
sh Scripts/fetch-pipewire-1.4.sh || status=$?
[ "$status" = 0 ] || { echo "test-versions: PipeWire 1.4 is not to be had here"; exit "$status"; }
[ $# -gt 0 ] || set -- --filter PipeBusIntegrationTests --filter PipeBusTestingTests --filter PipeWireClientTests \
    --skip HostileClientTests -- --filter ExamplesTests
root=$PWD/.build/pipewire-1.4
libraries=$(ls -d "$root"/usr/lib/*-linux-gnu)

swift build --build-tests
result=0
echo
echo "== daemons, steppers and other processes of 1.4, clients in the tests of the system's version"
PIPEBUS_PIPEWIRE_ROOT=$root sh Scripts/run-tests.sh "$@" || result=1
echo
echo "== all of 1.4"
PIPEBUS_PIPEWIRE_ROOT=$root LD_LIBRARY_PATH=$libraries SPA_PLUGIN_DIR=$libraries/spa-0.2 \
    PIPEWIRE_MODULE_DIR=$libraries/pipewire-0.3 PIPEWIRE_CONFIG_DIR=$root/usr/share/pipewire \
    sh Scripts/run-tests.sh "$@" || result=1
exit "$result"
