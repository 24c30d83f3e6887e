// SPDX-License-Identifier: MIT
import PipeWireClient

/// Makes the taps of our filters, a few at once. Confined to the loop.
final class InputTapMaker {
    /// Any process may request exchanges.
    private static let limit = 4

    private let maker: PortMaker
    private let links: LinkTable
    private let creationLock: AsyncLock
    private var taps: [InputTap] = []
    /// An exchange takes some 70 ms of the graph's time. So this is no limit to what a patchbay can do, but to requests that are
    /// given up at once, again and again.
    private var allowed = RateLimit(burst: 512, perSecond: 50)

    init(_ maker: PortMaker, _ links: LinkTable, under creationLock: AsyncLock) {
        self.maker = maker
        self.links = links
        self.creationLock = creationLock
    }

    /// Makes the tap of a filter, which must be closed.
    ///
    /// - Throws: ``PipeBusError``, also if there are too many taps.
    func make(of port: LivePort) async throws -> InputTap {
        taps.removeAll(where: \.isClosed)
        guard taps.count < Self.limit, allowed.allows(at: .now) else {
            throw PipeBusError(.notSupported, "There are too many exchanges of sources at once.")
        }
        let tap = try await creationLock.withLock { try await maker.makeTap(of: port, links) }
        taps.append(tap)
        return tap
    }
}
