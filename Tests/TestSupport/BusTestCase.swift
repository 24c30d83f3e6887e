// SPDX-License-Identifier: MIT
import PipeBusTesting
public import XCTest

/// The base of every test that could reach PipeWire: it ensures that no test reaches the user's own daemon.
///
/// A test that needs a daemon starts a private one and passes its ``HeadlessPipeWire/remote`` to clients.
open class BusTestCase: XCTestCase {
    open override class func setUp() {
        super.setUp()
        NoDaemon.enforce()
    }
}
