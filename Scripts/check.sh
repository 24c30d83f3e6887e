#!/bin/sh
# Rules that no compiler checks. Prints the violations, and fails.
set -eu
cd "$(dirname "$0")/.."
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT

complain() {
    echo "check: $1"
    cat "$bad"
    exit 1
}

# Formatting: the toolchain's own formatter, with the settings of .swift-format.
swift_sources="Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Fuzzing/Package.swift Fuzzing/Sources"
# Word splitting is meant.
swift format lint --recursive --strict $swift_sources > "$bad" 2>&1 ||
    complain "not formatted; run: swift format --in-place --recursive $swift_sources"

# C headers of PipeWire are included by the C targets alone.
! git grep -n -E '^(public |package |@_exported )*import CPipeWire( |$)' -- '*.swift' > "$bad" || complain "CPipeWire is for C targets"
! git grep -n -E '#include <(pipewire|spa)/' -- 'Sources/*/include/*.h' > "$bad" || complain "a shim's header includes PipeWire's"
! git grep -n -E 'pbpw_|import CPipeWireShims' -- Sources/PipeBus Sources/ConnectionGraph Examples > "$bad" ||
    complain "only PipeWireClient calls into PipeWire"

# Examples that are to be read as a whole stay short.
for example in looper spectrum streaming-player; do
    lines=$(cat Examples/$example/*.swift | wc -l)
    [ "$lines" -lt 150 ] || { echo "check: the example $example has $lines lines, and not less than 150"; exit 1; }
done

# The library proper stands on Swift, PipeWire and libsamplerate alone.
! git grep -n -E '^(public |package |internal )*import (Foundation|Dispatch)' -- \
    Sources/RealtimeKit Sources/AudioKernels Sources/AudioConversion Sources/ConnectionGraph Sources/PipeWireClient Sources/PipeBus \
    Sources/DesktopSupport Sources/PipeBusActions Sources/PipeBusApps > "$bad" ||
    complain "the library does not use Foundation"

# Every file of the audio thread says of each function that it may run there.
for file in Sources/PipeBus/*/*Body.swift Sources/PipeBus/Ports/PortCore.swift \
    Sources/PipeBus/Ports/PortStatus.swift Sources/PipeBus/Audio/ChannelFade.swift \
    Sources/PipeBus/Audio/CycleTracker.swift Sources/PipeBus/Audio/CycleGate.swift Sources/PipeBus/Audio/Timestamp.swift \
    Sources/PipeBus/Audio/GraphClock.swift Sources/PipeBus/Audio/GraphCycle.swift Sources/PipeBus/Audio/CycleBuffers.swift \
    Sources/PipeBus/Audio/SampleBlock.swift Sources/PipeBus/Audio/DelayLine.swift Sources/PipeBus/Audio/Crossfade.swift \
    Sources/PipeBus/Filtering/BypassState.swift Sources/PipeBus/Filtering/BypassLine*.swift Sources/PipeBus/Filtering/BypassRouting.swift \
    Sources/PipeBus/Audio/OutputChannels+Silence.swift \
    Sources/PipeBus/Receiving/ReceiverCore*.swift Sources/PipeBus/Receiving/AudioLane.swift \
    Sources/PipeBus/Receiving/GainRamp.swift Sources/PipeBus/Receiving/MixInputs.swift \
    Sources/PipeBus/Audio/CycleOwnership.swift Sources/PipeBus/Streams/StreamLane.swift \
    Sources/PipeBus/Streams/StreamCore.swift Sources/PipeBus/Streams/StreamSlot.swift \
    Sources/PipeBus/Streams/StreamTimeline.swift Sources/PipeBus/Streams/StreamReadLane.swift \
    Sources/PipeBus/Streams/ReaderPacing.swift Sources/PipeBus/Streams/ReaderLane.swift \
    Sources/PipeBus/Streams/ReaderCore*.swift Sources/PipeBus/Streams/ReaderPiece.swift Sources/PipeBus/Streams/ReaderRun.swift \
    Sources/PipeBus/Streams/StreamFades.swift \
    Sources/PipeBus/Blocks/BlockDelay.swift Sources/PipeBus/Blocks/BlockQueue.swift \
    Sources/PipeBus/Blocks/FilterBlocks.swift Sources/PipeBus/Blocks/SenderBlocks.swift \
    Sources/PipeBus/Auxiliary/AuxiliaryChannels.swift Sources/PipeBus/Auxiliary/AuxiliaryCore.swift \
    Sources/PipeBus/Auxiliary/AuxiliarySound.swift Sources/PipeBus/Tapping/InputTapCore.swift Sources/PipeBus/Tapping/InputTapState.swift \
    Sources/PipeBus/Monitoring/MonitorCore.swift Sources/PipeBus/Monitoring/MonitorSlot.swift Sources/PipeBus/Monitoring/MonitorSound.swift \
    Sources/PipeBus/MultiStreams/MultiStreamShared.swift \
    Sources/PipeBus/Streams/WriterSlot.swift Sources/PipeBus/Streams/WriterCore.swift Sources/PipeBus/Streams/WriterRing.swift \
    Sources/PipeBus/Streams/WriterStamps.swift Sources/PipeBus/Streams/StreamMoment.swift \
    Sources/PipeBus/Streams/StatedTimes.swift Sources/PipeBus/Streams/WriterClock.swift Sources/PipeBus/Streams/ReaderClock.swift Sources/PipeBus/Streams/ReaderIdleTime.swift Sources/PipeBus/Streams/LateApp.swift \
    Sources/AudioKernels/ClockMatcher.swift Sources/AudioKernels/DelayLockedLoop.swift Sources/AudioKernels/DelaySteering.swift \
    Sources/AudioKernels/EventDeviations.swift Sources/AudioKernels/LineUncertainty.swift \
    Sources/PipeBus/Receiving/Received*.swift Sources/AudioConversion/ResamplerCore.swift; do
    awk -v file="$file" '
        /@_noLocks/ { marked = 1; next }
        /^ *((private|package|static|mutating|nonisolated|@Sendable|public|borrowing) )*(func|init)[ (<?]/ {
            # Makers of calls run on the control side and return one; an init without a body to run is Swift-made.
            if (!marked && $0 !~ /-> RealtimeCall/ && $0 !~ /init\(\)/) print file ": " $0
        }
        { if ($0 !~ /^ *(@|\/\/)/) marked = 0 }
    ' "$file"
done > "$bad"
[ ! -s "$bad" ] || complain "a function that the audio thread can reach is not @_noLocks"

# The one way round the compiler's checks is not used at all.
! git grep -n 'no_performance_analysis' -- '*.swift' > "$bad" || complain "an unchecked hole in the audio thread's code"

# Examples and tools can be copied: they import public products, their own helpers, and modules of any program.
# Exceptions, each with its reason:
#   Sources/PipeBusCommand/Demo   PipeBusTesting: a private daemon for `pipebus demo`; the kit is not a product yet.
#   Sources/PipeBusCommand/Daemon PipeBusTesting: `pipebus daemon` keeps such a daemon.
#   Sources/PipeBusCommand/Render PipeBusTesting: `pipebus render` runs the cycles of such a daemon one by one; DesktopSupport: it
#                                 starts a further process of an installed app.
public_modules='PipeBus|PipeBusActions|PipeBusApps|RealtimeKit|ArgumentParser|Glibc|Foundation|Synchronization|ToolSupport|CSndFile|CEBUR128'
git grep -n -E '^(@[a-zA-Z]+ )*(public |package )?import ' -- 'Examples/*.swift' 'Sources/PipeBusCommand/*.swift' |
    grep -v -E "import ($public_modules)\$" |
    grep -v -E '^Sources/PipeBusCommand/(Demo|Daemon|Render)/[^:]*:[0-9]+:import PipeBusTesting$' |
    grep -v -E '^Sources/PipeBusCommand/Render/[^:]*:[0-9]+:import DesktopSupport$' > "$bad" || true
[ ! -s "$bad" ] || complain "an example or a tool imports more than public products"
# The compiler lets every target of this package use symbols of package access; Scripts/build-consumer.sh compiles copies of
# all examples in a package that may not.
! git grep -n -w -E 'TripleBuffer|OwnedCells|ClosureWords|RealtimeCall' -- \
    'Examples/*.swift' 'Sources/PipeBusCommand/*.swift' > "$bad" ||
    complain "an example uses what apps cannot"

# A component of a session keeps its state to itself: its stored properties are private, or read-only to others. A callback
# that its owner sets is none.
for file in Sources/PipeBus/Session/*.swift Sources/PipeBus/Declared/*.swift Sources/PipeBus/Peers/*.swift; do
    grep -q '^final class' "$file" || continue
    grep -H -n -E '^    (unowned |weak |package )*var [a-zA-Z]+(: [^{]*| = .*)$' "$file" |
        grep -v -E 'var on[A-Z][A-Za-z]*: \(\(|\{$' || true
done > "$bad"
[ ! -s "$bad" ] || complain "a stored property of a component that others can set"

# The fuzzers have a link to every library that those which they compile import.
for library in Fuzzing/Library/*; do
    git grep -h -o -E '^((public|package|internal|@testable) )*import [A-Za-z]+' -- "Sources/$(basename "$library")" || true
done | sed 's/.* //' | sort -u | while read -r module; do
    [ ! -d "Sources/$module" ] || [ -e "Fuzzing/Library/$module" ] || echo "$module"
done > "$bad"
[ ! -s "$bad" ] || complain "a library is missing in Fuzzing/Library and Fuzzing/Package.swift"

# Tests wait for something, with a bound; they do not sleep. The programs of the documentation are no tests.
! git grep -n -E '\b(usleep|Thread\.sleep|Task\.sleep)\(' -- 'Tests/*.swift' ':!Tests/Consumer/Sources' > "$bad" || complain "a test sleeps"
