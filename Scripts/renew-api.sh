#!/bin/sh
# Writes the public declarations of all libraries to Docs/API, after a change that is meant.
# PublicAPITests compares them.
#
#     Scripts/renew-api.sh
set -eu
cd "$(dirname "$0")/.."
swift build --build-tests
PIPEBUS_RENEW_API=1 swift test --skip-build --filter PublicAPITests
git diff --stat -- Docs/API
