// SPDX-License-Identifier: MIT
import Foundation

/// The compiler's sanitizers: `Scripts/sanitize.sh` names the one under which the tests run in `PIPEBUS_SANITIZER`.
package enum Sanitizer {
    /// Whether there is one. Everything takes several times as long then, and resident memory measures nothing: the
    /// sanitizer's own record grows with all memory that was touched, and AddressSanitizer keeps what was freed.
    package static let isPresent = name != nil
    /// Whether it is ThreadSanitizer. A thread that meets a race names it, also one that is to be left out: 0.1 s.
    package static let isThread = name == "thread"

    private static let name = ProcessInfo.processInfo.environment["PIPEBUS_SANITIZER"]
}
