// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeWireClient

/// Reports of the profiler, byte by byte.
final class ProfilerParsingTests: XCTestCase {
    private typealias Bytes = [UInt8]

    private func block(id: Int32, name: String, status: Int32, isNewer: Bool = true) -> Bytes {
        let older = [
            PodWriter.int(id), PodWriter.string(name), PodWriter.long(1), PodWriter.long(2), PodWriter.long(3),
            PodWriter.long(4), PodWriter.int(status), PodWriter.fraction(256, 48_000),
        ]
        return PodWriter.structure(isNewer ? older + [PodWriter.int(7), PodWriter.bool(true)] : older)
    }

    private let clock = PodWriter.structure([
        PodWriter.int(0), PodWriter.int(5), PodWriter.string("clock"), PodWriter.long(100),
        PodWriter.fraction(1, 48_000), PodWriter.long(2048), PodWriter.long(1024), PodWriter.long(0),
        PodWriter.double(1), PodWriter.long(200), PodWriter.int(1), PodWriter.int(9), PodWriter.long(0),
    ])
    private let load = PodWriter.structure([
        PodWriter.long(3), PodWriter.float(0.1), PodWriter.float(0.2), PodWriter.float(0.3), PodWriter.int(2),
    ])

    private func report(isNewer: Bool = true, followers: Int = 2) -> Bytes {
        var properties = [
            (key: UInt32(0x10001), value: load), (key: 0x10002, value: clock),
            (key: 0x10003, value: block(id: 30, name: "Driver", status: 3, isNewer: isNewer)),
        ]
        for number in 0..<followers {
            properties.append(
                (0x20001, block(id: Int32(40 + number), name: "n\(number)", status: Int32(number), isNewer: isNewer)))
        }
        // A property of a later version.
        properties.append((0x20002, PodWriter.structure([PodWriter.int(1)])))
        return PodWriter.object(0x4000A, properties)
    }

    private func node(_ id: UInt32, _ name: String, _ status: ProfilerReport.Status, isNewer: Bool)
        -> ProfilerReport.Node
    {
        ProfilerReport.Node(
            id: id, name: name, previousSignal: 1, signal: 2, start: 3, finish: 4, status: status,
            xrunCount: isNewer ? 7 : nil, isAsync: isNewer)
    }

    func testAReportIsReadWithAndWithoutTheFieldsOfLaterVersions() {
        for isNewer in [false, true] {
            let reports = ProfilerReport.parse(
                PodWriter.structure([report(isNewer: isNewer), report(isNewer: isNewer)]))
            XCTAssertEqual(reports.count, 2)
            XCTAssertEqual(
                reports[1],
                ProfilerReport(
                    load: .init(counter: 3, fast: 0.1, medium: 0.2, slow: 0.3, xrunCount: 2),
                    clock: .init(
                        id: 5, name: "clock", nanoseconds: 100, sampleRate: 48_000, position: 2048, duration: 1024,
                        delay: 0),
                    driver: node(30, "Driver", .finished, isNewer: isNewer),
                    followers: [
                        node(40, "n0", .waiting, isNewer: isNewer), node(41, "n1", .signalled, isNewer: isNewer),
                    ]))
        }
    }

    func testEveryStatusIsKnown() {
        let statuses = ProfilerReport.parse(PodWriter.structure([report(followers: 6)]))[0].followers.map(\.status)
        XCTAssertEqual(statuses, [.waiting, .signalled, .running, .finished, .inactive, .other(5)])
    }

    func testWhatIsNoReportIsLeftOut() {
        let good = report()
        let noDriver = PodWriter.object(0x4000A, [(key: 0x20001, value: block(id: 1, name: "a", status: 1))])
        let otherObject = PodWriter.object(0x40002, [(key: 0x10003, value: block(id: 1, name: "a", status: 1))])
        let wrongField = PodWriter.object(
            0x4000A, [(key: 0x10003, value: PodWriter.structure([PodWriter.long(1), PodWriter.string("a")]))])
        let all = PodWriter.structure([noDriver, otherObject, PodWriter.int(3), good, wrongField])
        XCTAssertEqual(ProfilerReport.parse(all).count, 1)
        XCTAssertEqual(ProfilerReport.parse(good).count, 0)
        XCTAssertEqual(ProfilerReport.parse([]).count, 0)
    }

    func testNamesAreBoundedAndNeedNotBeText() {
        let long = String(repeating: "a", count: 5000)
        let names = [long, "a\u{0}b", "\u{1B}[2J"].map { name in
            ProfilerReport.parse(
                PodWriter.structure([
                    PodWriter.object(0x4000A, [(key: 0x10003, value: block(id: 1, name: name, status: 3))])
                ]))[0].driver.name
        }
        XCTAssertEqual(names, [String(repeating: "a", count: 256), "a", "\u{1B}[2J"])
        var bad = PodWriter.structure([
            PodWriter.object(0x4000A, [(key: 0x10003, value: block(id: 1, name: "wxyz", status: 3))])
        ])
        bad[bad.firstIndex(of: UInt8(ascii: "x"))!] = 0xFF
        XCTAssertEqual(ProfilerReport.parse(bad)[0].driver.name, "w\u{FFFD}yz")
    }

    func testCountsAreBounded() {
        XCTAssertEqual(ProfilerReport.parse(PodWriter.structure([report(followers: 3000)]))[0].followers.count, 1024)
        let small = PodWriter.object(0x4000A, [(key: 0x10003, value: block(id: 1, name: "a", status: 3))])
        XCTAssertEqual(ProfilerReport.parse(PodWriter.structure(Array(repeating: small, count: 5000))).count, 4096)
        XCTAssertEqual(ProfilerReport.parse(Bytes(repeating: 0, count: 5 << 20)).count, 0)
    }

    func testEveryTruncationIsRead() {
        let whole = PodWriter.structure([report(), report()])
        for length in 0..<whole.count { XCTAssertEqual(ProfilerReport.parse(Array(whole.prefix(length))), []) }
        // The outer size fits, and the inner ones do not.
        for length in 8..<whole.count {
            let body = Array(whole[8..<length])
            let reports = ProfilerReport.parse(PodWriter.bytes(UInt32(body.count)) + PodWriter.bytes(UInt32(14)) + body)
            XCTAssertLessThanOrEqual(reports.count, 2)
        }
    }

    func testAnyBytesAreRead() {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &random)
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let whole = PodWriter.structure([report(), report(followers: 4)])
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0...next() % 8 {
                let place = Int(next()) % bytes.count
                // Sizes and types are small numbers; others are any.
                bytes[place] = next().isMultiple(of: 2) ? UInt8(next() % 18) : UInt8(next() & 0xFF)
            }
            for report in ProfilerReport.parse(bytes) {
                XCTAssertLessThanOrEqual(report.followers.count, 1024, "seed \(seed)")
            }
        }
        for _ in 0..<2000 {
            _ = ProfilerReport.parse((0..<next() % 300).map { _ in UInt8(next() % 20) })
        }
    }
}
