// SPDX-License-Identifier: MIT
import ArgumentParser
import Synchronization

/// A value of one of two options whose values are one list, in the order of the command line.
struct ThroughArgument: ExpressibleByArgument {
    /// The parser reads the values in the order in which they are typed.
    private static let count = Atomic<Int>(0)

    let text: String
    let place: Int

    init(argument: String) {
        text = argument
        place = Self.count.add(1, ordering: .relaxed).newValue
    }
}
