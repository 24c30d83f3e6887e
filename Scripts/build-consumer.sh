#!/bin/sh
# Builds the small app of Tests/Consumer against a tag in a local clone of this repository, together with copies of all
# examples, and leaves its programs in the folder given.
#
#     Scripts/build-consumer.sh OUTPUT
set -eu
output=$1
cd "$(dirname "$0")/.."
mkdir -p "$output"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The committed files, as in any clone.
git clone --quiet --no-local --depth 1 "file://$PWD" "$work/pipebus"
git -C "$work/pipebus" tag 0.1.0
cp -R Tests/Consumer "$work/app"
# Under names of their own: those of a package's targets are taken in every package that depends on it.
cp -R Sources/CSndFile "$work/app/Sources/My-CSndFile"
for example in CToolLimits ToolSupport tone-sender echo-filter looper spectrum streaming-player \
    track-mixer track-recorder voice-synth CEBUR128 reverse-audio normalize-loudness; do
    cp -R "Examples/$example" "$work/app/Sources/My-$example"
done
find "$work/app/Sources" -type f -exec sed -i -E 's/^((package )?import|module) (CEBUR128|CSndFile|ToolSupport)/\1 My\3/' {} +
PIPEBUS_REPOSITORY="file://$work/pipebus" PIPEBUS_EXAMPLES=1 \
    swift build --package-path "$work/app" --scratch-path "$work/build" > "$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
if grep -q "warning:" "$work/log" && grep "warning:" "$work/log" | grep -v "prohibited flag" | grep -q .; then
    cat "$work/log"
    exit 1
fi
for program in Sender Meter Volume Count Knob Peaks Disk Takes Through Push Live Desk Blocks Chime Synth Louder Effects my-reverse-audio my-normalize-loudness my-echo-filter my-looper my-spectrum my-streaming-player \
    my-tone-sender my-track-mixer my-track-recorder my-voice-synth; do cp "$work/build/debug/$program" "$output"; done
