// SPDX-License-Identifier: MIT

/// Which source channel each destination channel gets.
///
/// | channels                  | a destination gets                                       |
/// | ------------------------- | -------------------------------------------------------- |
/// | as many sources           | the source of its number                                 |
/// | one source                | that one                                                 |
/// | several sources, one destination | the mean of all                                   |
/// | otherwise                 | the source of its number, and silence where there is none |
///
/// A filter's bypass follows the same rules.
package struct ChannelMap: Equatable, Sendable {
    /// 1…64.
    package let sourceCount: Int
    /// 1…64.
    package let destinationCount: Int

    package init(from sourceCount: Int, to destinationCount: Int) {
        precondition((1...64).contains(sourceCount) && (1...64).contains(destinationCount), "1 to 64 channels")
        self.sourceCount = sourceCount
        self.destinationCount = destinationCount
    }

    /// Whether the only destination is the mean of all sources.
    package var isMean: Bool { @_noLocks get { destinationCount == 1 && sourceCount > 1 } }

    /// Whether each channel is the one of the same number.
    package var isIdentity: Bool { @_noLocks get { sourceCount == destinationCount } }

    /// Number of different signals in the destinations: what lies between the mean on one side and copies and silence on the
    /// other.
    package var signalCount: Int { @_noLocks get { min(sourceCount, destinationCount) } }

    /// The signal in a destination, 0..<``signalCount``; −1: silence.
    @_noLocks
    package func signal(in destination: Int) -> Int {
        if sourceCount == 1 { return 0 }
        return destination < signalCount ? destination : -1
    }
}
