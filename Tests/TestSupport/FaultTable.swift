// SPDX-License-Identifier: MIT
import Foundation
package import PipeBusTesting
import PipeWireClient
import Synchronization
import XCTest

/// What the tests of faults have measured. It is printed at the end of the run, and written to the file that
/// `PIPEBUS_FAULT_TABLE` names. Nothing in it is asserted.
package final class FaultTable: Sendable {
    package struct Row: Sendable {
        package var fault: String
        /// The states and notices of the app, in order.
        package var saw: [String]
        /// From the end of the fault until sound was back, in milliseconds.
        package var back: String
        /// The silence of the other source, in milliseconds.
        package var silence: String
        /// Frames that were sent and not heard, or another loss.
        package var lost: String
        /// The memory by which a process grew most.
        package var kept: String
        package var version: String

        package init(
            _ fault: String, saw: [String] = [], back: String, silence: String = "", lost: String = "",
            kept: String = "", on installation: PipeWireInstallation
        ) {
            self.fault = fault
            self.saw = saw
            self.back = back
            self.silence = silence
            self.lost = lost
            self.kept = kept
            version =
                installation.root.map { String($0.split(separator: "/").last?.split(separator: "-").last ?? "") }
                ?? "\(PipeWireConnection.libraryVersion)"
        }
    }

    package static let shared: FaultTable = {
        let table = FaultTable()
        XCTestObservationCenter.shared.addTestObserver(End())
        return table
    }()

    private let rows = Mutex<[Row]>([])

    package func add(_ row: Row) { rows.withLock { $0.append(row) } }

    /// The table in Markdown.
    private var text: String {
        let head = """
            | fault | what the app saw | sound back after, ms | silence of the other source, ms | frames lost | memory kept | PipeWire |
            | --- | --- | --- | --- | --- | --- | --- |
            """
        let lines = rows.withLock { $0 }.map { row in
            let saw = row.saw.isEmpty ? "nothing" : row.saw.joined(separator: ", ")
            return
                "| \(row.fault) | \(saw) | \(row.back) | \(row.silence) | \(row.lost) | \(row.kept) | \(row.version) |"
        }
        return ([head] + lines).joined(separator: "\n") + "\n"
    }

    fileprivate func publish() {
        guard rows.withLock({ !$0.isEmpty }) else { return }
        print(text)
        if let path = ProcessInfo.processInfo.environment["PIPEBUS_FAULT_TABLE"] {
            try? text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }
}

/// The end of the run.
private final class End: NSObject, XCTestObservation {
    func testBundleDidFinish(_ testBundle: Bundle) { FaultTable.shared.publish() }
}
