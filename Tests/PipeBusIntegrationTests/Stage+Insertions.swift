// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

/// What the tests of filters that are put into connections share.
extension Stage {
    /// A saw: neighbouring samples differ by more than any rounding, and within a length no two are alike.
    static let saw: Signal = { position, _ in Float((position % 4096 + 4096) % 4096) / 4096 }

    /// The client that changes connections: one of its own, which must be closed, or the taker.
    func patchbay(isForeign: Bool) async throws -> BusClient {
        guard isForeign else { return taker }
        return try await BusClient.connect(as: "org.pipebus.patchbay", name: "Patchbay", remote: graph.remote)
    }

    /// Closes it with everything.
    func close(_ patchbay: BusClient) async throws {
        if patchbay !== taker { await patchbay.close() }
        try await close()
    }
}

extension BusClient {
    /// "Source.out Destination.in" for each connection, by the names of the nodes.
    var connectionNames: Set<String> {
        let graph = graph
        return Set(
            graph.connections.map {
                "\(graph.port($0.source)?.nodeName ?? "") \(graph.port($0.destination)?.nodeName ?? "")"
            })
    }
}

extension Hearing {
    /// Each frame is what was made at its time, by the timestamps, which have no gap.
    ///
    /// - Parameter first: the first frame that is looked at, after the source has begun.
    func assertWhole(
        _ signal: Stage.Signal = Stage.saw, from first: Int64, file: StaticString = #filePath, line: UInt = #line
    ) {
        var next: Int64?
        for moment in moments {
            if let next, moment.start != next {
                return XCTFail("a gap from \(next) to \(moment.start)", file: file, line: line)
            }
            next = moment.start + Int64(moment.cycle.frameCount)
            let made = moment.timestamp?.position ?? 0
            for (channel, samples) in moment.mix.enumerated() {
                for (frame, sample) in samples.enumerated() where moment.start + Int64(frame) >= first {
                    let expected = signal(made + Int64(frame), channel)
                    guard abs(sample - expected) > 4e-6 else { continue }
                    return XCTFail(
                        "\(sample) in place of \(expected) at \(moment.start + Int64(frame)), made at \(made + Int64(frame))",
                        file: file, line: line)
                }
            }
        }
    }
}
