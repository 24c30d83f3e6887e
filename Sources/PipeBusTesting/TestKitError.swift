// SPDX-License-Identifier: MIT

/// What went wrong in the test kit itself: a program that did not start, a wait that was in vain. The sentence carries
/// what the programs said, so that a failure in CI can be understood from the report alone.
package struct TestKitError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
