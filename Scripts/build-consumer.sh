#!/bin/sh
# Builds the small app of Tests/Consumer against a tag in a local clone of this repository, and leaves its programs in
# the folder given.
#
#     Scripts/build-consumer.sh OUTPUT
set -eu
output=$1
cd "$(dirname "$0")/.."
mkdir -p "$output"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What is committed, as somebody else would get it.
git clone --quiet --no-local --depth 1 "file://$PWD" "$work/pipebus"
git -C "$work/pipebus" tag 0.1.0
cp -R Tests/Consumer "$work/app"
PIPEBUS_REPOSITORY="file://$work/pipebus" swift build --package-path "$work/app" --scratch-path "$work/build" > "$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
if grep -q "warning:" "$work/log" && grep "warning:" "$work/log" | grep -v "prohibited flag" | grep -q .; then
    cat "$work/log"
    exit 1
fi
cp "$work"/build/debug/Sender "$work"/build/debug/Meter "$work"/build/debug/Volume "$output"
