#!/bin/sh
# Builds what `make test` runs after the tests, one configuration after the other. Warnings are errors with PIPEBUS_STRICT.
set -eu
cd "$(dirname "$0")/.."
# In a folder of its own: two builds in one wait for each other.
swift build -c release --scratch-path .build-release
PIPEBUS_PURE=1 swift build --build-tests --scratch-path .build-pure --sanitize=thread
export PIPEBUS_ONLY_BUILD=1
sh Scripts/hammer.sh
sh Scripts/bench.sh
sh Scripts/fuzz.sh
