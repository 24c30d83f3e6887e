// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A receiver in this process that records two sources, each of a process of its own, of which one hangs.
struct HangScene {
    /// How the other source hangs.
    enum Hang: Sendable { case stopped, inItsBlock }

    static let signal = TestSignal.counting
    let bus: BusClient
    let receiver: ReceiverPort
    let hearing: Hearing
    let steady: Peer
    let other: Peer
    let notices: NoticeLog

    static func start(on daemon: HeadlessPipeWire, channels: Int = 1) async throws -> HangScene {
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let notices = NoticeLog(bus.notices)
        let hearing = Hearing()
        let receiver = try await hearing.separate(
            on: bus, channels: channels == 1 ? .mono : .stereo, alignment: .immediate)
        let steady = try await Peer.start("Steady", on: daemon, client: daemon.installation)
        try await steady.addSender("out", channels: channels, signal, by: .position)
        let other = try await Peer.start("Other", on: daemon, client: daemon.installation)
        try await other.addSender("out", channels: channels, .constant(0.5))
        try await bus.connect("Steady", to: receiver)
        try await bus.connect("Other", to: receiver)
        let scene = HangScene(
            bus: bus, receiver: receiver, hearing: hearing, steady: steady, other: other, notices: notices)
        try await scene.waitUntilHeard()
        return scene
    }

    /// Waits until the other source is heard in cycles from now on.
    func waitUntilHeard() async throws {
        let before = hearing.moments.count
        try await eventually("the other source to be heard") {
            hearing.moments.dropFirst(before).contains { $0.lanes[1]?.channels.first?.last == 0.5 }
        }
    }

    func hang(_ hang: Hang, seconds: Double) async throws {
        switch hang {
        case .stopped: kill(other.process.pid, SIGSTOP)
        case .inItsBlock: try await other.hang("out", for: seconds)
        }
    }

    func source(_ title: String) async throws -> Source? {
        try await receiver.sources.first { $0.title.hasPrefix(title) }
    }

    func requireOther() async throws -> Source {
        let source = try await source("Other")
        return try XCTUnwrap(source)
    }

    func waitUntil(isStalled: Bool, within timeout: Duration = .seconds(20)) async throws {
        try await eventually("the other source to be \(isStalled ? "" : "no longer ")stalled", within: timeout) {
            try await source("Other")?.isStalled == isStalled
        }
    }

    /// Waits for so many cycles of the receiver.
    func runCycles(_ count: Int) async throws {
        let before = hearing.moments.count
        try await eventually("cycles") { hearing.moments.count >= before + count }
    }

    /// Checks that the steady source is exact in every cycle, but for those that are marked.
    func assertSteady(file: StaticString = #filePath, line: UInt = #line) {
        let moments = hearing.moments
        for (moment, next) in zip(moments, moments.dropFirst().map { $0 } + [nil] as [Hearing.Moment?]) {
            guard let lane = moment.lanes[0], !moment.cycle.isDiscontinuous, next?.cycle.isDiscontinuous != true,
                lane.channels[0][0] != 0
            else { continue }
            let expected = Self.signal.samples(from: moment.cycle.position, count: moment.cycle.frameCount)
            if lane.channels[0] != expected {
                return XCTFail("wrong in the cycle at \(moment.cycle.position)", file: file, line: line)
            }
        }
    }

    /// Checks that the steady source was heard in nearly all of some cycles, and that these were not few: a silent one is not
    /// wrong, as far as ``assertSteady(file:line:)`` goes.
    ///
    /// - Parameters:
    ///   - cycles: some of ``hearing``'s.
    ///   - seconds: for which the graph has to have run in them.
    func assertSteadyIsHeard(
        in cycles: Range<Int>, for seconds: Double, file: StaticString = #filePath, line: UInt = #line
    ) {
        let moments = hearing.moments[cycles]
        let heard = moments.count { ($0.lanes[0]?.channels[0][0] ?? 0) != 0 }
        XCTAssertGreaterThanOrEqual(heard * 10, moments.count * 9, "cycles with sound", file: file, line: line)
        let time = moments.reduce(0) { $0 + Double($1.cycle.frameCount) / Double($1.cycle.sampleRate) }
        XCTAssertGreaterThanOrEqual(time, seconds, "seconds of cycles", file: file, line: line)
    }

    /// The longest time without a cycle, in milliseconds, and the time from a moment until the other source was heard
    /// again after it.
    var longestGap: Double {
        let times = hearing.moments.map { $0.cycle.startTime.nanoseconds }
        return zip(times, times.dropFirst()).map { Double($1 - $0) / 1e6 }.max() ?? 0
    }

    /// The notices about sources that hang, and that answer again.
    var stallNotices: [Notice.Kind] {
        notices.all.map(\.kind).filter { [.sourceStalled, .sourceRestored].contains($0) }
    }

    /// Lets the other source go on, and waits until it is heard and the app knows.
    func goOn() async throws {
        kill(other.process.pid, SIGCONT)
        try await waitUntil(isStalled: false)
        try await waitUntilHeard()
        try await eventually("the notice") { stallNotices == [.sourceStalled, .sourceRestored] }
    }

    func close() async throws {
        kill(other.process.pid, SIGCONT)
        for peer in [steady, other] { try await peer.close() }
        await bus.close()
    }
}
