// SPDX-License-Identifier: MIT

/// An error of the test kit itself, such as a program that did not start or a timeout.
///
/// The sentence contains the programs' output, so that a failure in CI can be understood from the report alone.
package struct TestKitError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
