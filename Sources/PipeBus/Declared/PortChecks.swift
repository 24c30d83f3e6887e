// SPDX-License-Identifier: MIT

/// Checks of a port's declaration, each with an error that says what to do.
enum PortChecks {
    static func check(_ channels: ChannelLayout, of what: String) throws {
        guard (1...ChannelLayout.maximumCount).contains(channels.count) else {
            throw PipeBusError(
                .invalidArgument, "\(what) has 1 to \(ChannelLayout.maximumCount) channels, not \(channels.count).")
        }
    }

    static func check(_ fade: Fade) throws {
        guard (0...100_000).contains(fade.microseconds) else {
            throw PipeBusError(.invalidArgument, "A fade takes 0 to 100 milliseconds.")
        }
    }

    static func check(blockSize: Int?) throws {
        guard let blockSize, !BlockMemory.sizes.contains(blockSize) else { return }
        throw PipeBusError(
            .invalidArgument,
            "A process block has \(BlockMemory.sizes.lowerBound) to \(BlockMemory.sizes.upperBound) frames, not \(blockSize)."
        )
    }

    static func check(latency: Int) throws {
        guard (0...1_048_576).contains(latency) else {
            throw PipeBusError(.invalidArgument, "A latency is 0 to 1048576 frames, not \(latency).")
        }
    }
}
