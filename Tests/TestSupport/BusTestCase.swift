// SPDX-License-Identifier: MIT
import PipeBusTesting
public import XCTest

/// The base of every test that could reach PipeWire: it makes sure that none reaches the daemon of whoever runs it.
///
/// A test that needs a daemon starts one of its own and gives clients its ``HeadlessPipeWire/remote``.
open class BusTestCase: XCTestCase {
    open override class func setUp() {
        super.setUp()
        NoDaemon.enforce()
    }
}
