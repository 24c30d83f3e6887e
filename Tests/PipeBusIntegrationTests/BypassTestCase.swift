// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// The base of tests of a bypass in a real graph: an exact sender, a filter with a latency, and a receiver.
class BypassTestCase: DaemonTestCase {
    struct Scene {
        var stage: Stage
        var source: SenderPort
        var filter: FilterPort
        var hearing: Hearing
    }

    /// A filter that turns the sign and is late.
    func makeScene(latency: Int, _ signal: @escaping Stage.Signal) async throws -> Scene {
        let stage = try await Stage.start()
        let source = try await stage.sender("out", signal)
        let filter = try await stage.delay("fx", by: latency, gain: -1)
        let hearing = Hearing()
        let receiver = try await hearing.mixed(on: stage.taker, alignment: .immediate, panLaw: .balance)
        try await stage.taker.connect(source, to: filter)
        try await stage.taker.connect(filter, to: receiver)
        try await stage.showToGivers(filter, receiver)
        try await stage.graph.settle()
        return Scene(stage: stage, source: source, filter: filter, hearing: hearing)
    }

    func assertThrowsPipeBus(
        _ code: PipeBusError.Code, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
    ) async {
        _ = try? await refusal(code, file: file, line: line, body)
    }

    /// The sentence that something is refused with.
    func refusal(
        _ code: PipeBusError.Code, file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
    ) async throws -> String {
        do {
            try await body()
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, code, "\(error)", file: file, line: line)
            return (error as? PipeBusError)?.message ?? ""
        }
        XCTFail("nothing was thrown", file: file, line: line)
        return ""
    }
}
