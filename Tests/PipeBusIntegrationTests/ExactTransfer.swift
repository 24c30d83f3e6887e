// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTesting
import XCTest

/// The PipeWire of the daemon and of each client.
struct Installations: CustomStringConvertible {
    var daemon: PipeWireInstallation
    var sender: PipeWireInstallation
    var receiver: PipeWireInstallation

    static func all(_ installation: PipeWireInstallation) -> Installations {
        Installations(daemon: installation, sender: installation, receiver: installation)
    }

    var description: String {
        func name(_ installation: PipeWireInstallation) -> String { installation == .system ? "system's" : "1.4" }
        return "daemon \(name(daemon)), sender \(name(sender)), receiver \(name(receiver))"
    }
}

/// A sender and a receiver in processes of their own, joined by a stepper in a third.
struct ExactTransfer {
    let graph: SteppedGraph
    let sender: Peer
    let receiver: Peer
    let widths: [Int]

    /// Makes ports of several widths, each joined to one of its own.
    static func start(_ installations: Installations, widths: [Int]) async throws -> ExactTransfer {
        let graph = try await SteppedGraph.start(installation: installations.daemon)
        let sender = try await graph.peer("Sender", client: installations.sender)
        let receiver = try await graph.peer("Receiver", client: installations.receiver)
        for width in widths {
            try await sender.addSender("out\(width)", channels: width, .counting)
            try await receiver.addReceiver("in\(width)", channels: width, lanes: 1, expecting: .counting)
            try await receiver.join("Sender/out\(width)", to: "Receiver/in\(width)")
        }
        return ExactTransfer(graph: graph, sender: sender, receiver: receiver, widths: widths)
    }

    /// Runs the cycles, looks at every frame, and ends it all.
    func run(_ steps: Steps, _ what: String, file: StaticString = #filePath, line: UInt = #line) async throws {
        let start = ContinuousClock.now
        try await graph.step(steps.list)
        print("\(what): \(steps.frames) frames in \(steps.cycles) cycles took \(ContinuousClock.now - start)")
        for width in widths {
            let sent = try await sender.report("out\(width)")
            assertUndisturbed(
                sent, frames: steps.frames, cycles: steps.cycles, "\(what), sender of \(width)", file: file, line: line)
            let report = try await receiver.report("in\(width)")
            assertExact(
                report, frames: steps.frames, cycles: steps.cycles, "\(what), receiver of \(width)", file: file,
                line: line)
            let last = TestSignal.counting.sample(frame: steps.frames - 1, channel: 0)
            XCTAssertEqual(report.first, 1, "\(what), \(width)", file: file, line: line)
            XCTAssertEqual(report.last, last, "\(what), \(width)", file: file, line: line)
        }
        try await graph.close()
    }
}
