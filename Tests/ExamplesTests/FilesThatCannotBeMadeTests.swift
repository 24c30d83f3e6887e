// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source whose file cannot be made ends no other source's take, and loses nothing if it can be made later.
final class FilesThatCannotBeMadeTests: ToolTestCase {
    private func assertWhole(
        _ name: String, in result: RecordingBench.Result, of bench: RecordingBench, made: [Range<Int>],
        line: UInt = #line
    ) {
        guard let file = result.files[name] else { return XCTFail("no \(name) in \(result.files.keys)", line: line) }
        let samples = file.channels[0]
        assertSamples(samples, equal: bench.expected(made, in: result, count: samples.count), line: line)
    }

    /// Leaves the tool so many descriptors more than it has.
    private func limitDescriptors(of tool: ChildProcess, toMore count: Int) async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(tool.pid)/fd")
        let used = Set(names.compactMap { Int($0) })
        var limit = 0
        var free = 0
        // The lowest free number is taken first; those above the limit stay open.
        while free < count {
            if !used.contains(limit) { free += 1 }
            limit += 1
        }
        try await setLimit(of: tool, limit)
    }

    private func setLimit(of tool: ChildProcess, _ limit: Int) async throws {
        let process = try ChildProcess("prlimit", ["--pid", "\(tool.pid)", "--nofile=\(limit):4096"], environment: [:])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
    }

    func testWithoutDescriptorsTheOthersGoOnAndNothingIsLost() async throws {
        for isLiftedInTime in [true, false] {
            let bench = try await startBench(
                isLiftedInTime ? [] : ["--bits", "32"], through: ["prlimit", "--nofile=512:4096"])
            for name in ["a", "b", "c"] { try await bench.connect(try await bench.addSource(name)) }
            let begin = Int(await bench.stepper.position)
            // Files are made when the first sound comes; 16 are left to PipeWire.
            try await limitDescriptors(of: bench.tool, toMore: 17)
            try await bench.stepper.step(1024, cycles: 4)
            try await eventually("two to be reported") {
                bench.tool.errors.lines.count { $0.contains("Too many open files") } == 2
            }
            try await bench.stepper.step(1024, cycles: 4)
            if isLiftedInTime {
                try await setLimit(of: bench.tool, 512)
                try await eventually("all files") {
                    ["a", "b", "c"].allSatisfy {
                        (try? WaveFile.read("\(bench.path)/Test \($0).wav").channels[0].count) == 8192
                    }
                }
            }
            try await bench.stepper.step(1024, cycles: 4)
            let end = Int(await bench.stepper.position)
            let result = try await bench.finish()
            for name in ["a", "b", "c"] {
                assertWhole("Test \(name).wav", in: result, of: bench, made: [begin..<end])
            }
            XCTAssertEqual(result.figures["lost_frames"], "0")
        }
    }

    /// PipeWire takes descriptors for each source; files must not take the last of them.
    func testFilesLeaveDescriptorsToPipeWire() async throws {
        let bench = try await startBench(["--lanes", "24"], through: ["prlimit", "--nofile=512:4096"])
        try await bench.connect(try await bench.addSource("first"))
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024)
        // Enough for PipeWire to take in what comes, and for a few files.
        try await limitDescriptors(of: bench.tool, toMore: 24)
        let names = (1...16).map { "late \($0)" }
        for name in names {
            try await bench.connect(try await bench.addSource(name, channels: .mono))
            try await bench.stepper.step(1024)
        }
        try await bench.stepper.step(1024, cycles: 4)
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.files.count, 17, bench.tool.errors.text)
        assertWhole("Test first.wav", in: result, of: bench, made: [begin..<end])
        XCTAssertEqual(result.figures["lost_frames"], "0")
    }

    func testAFolderThatIsAwayForAWhileLosesNothing() async throws {
        let bench = try await startBench()
        let plain = try await bench.addSource("plain")
        let gone = try await bench.addSource("gone")
        try await bench.connect(plain)
        try await bench.connect(gone)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 2)
        let left = Int(await bench.stepper.position)
        try await bench.disconnect(gone)
        try await bench.stepper.step(1024)
        try await eventually("the file of the one that left to be closed") { await self.openFiles(of: bench) == 1 }
        XCTAssertEqual(unsafe rename(bench.path, bench.path + "-away"), 0)
        let late = try await bench.addSource("late")
        try await bench.connect(late)
        try await bench.connect(gone)
        let join = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 4)
        try await eventually("both to be reported") {
            bench.tool.errors.lines.count { $0.contains("No such file") } == 2
        }
        XCTAssertEqual(unsafe rename(bench.path + "-away", bench.path), 0)
        try await eventually("the file") {
            (try? WaveFile.read("\(bench.path)/Test late.wav").channels[0].count) ?? 0 > 4096
        }
        try await bench.stepper.step(1024, cycles: 4)
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(Set(result.files.keys), ["Test plain.wav", "Test late.wav", "Test gone.wav"])
        assertWhole("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertWhole("Test late.wav", in: result, of: bench, made: [join..<end])
        assertWhole("Test gone.wav", in: result, of: bench, made: [begin..<left, join..<end])
        XCTAssertEqual(result.figures["lost_frames"], "0")
    }

    func testAFolderThatIsRemovedAndMadeAgainGetsAllThatIsStillOpen() async throws {
        let bench = try await startBench()
        try await bench.connect(try await bench.addSource("plain"))
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 8)
        try await eventually("sound") {
            (try? WaveFile.read("\(bench.path)/Test plain.wav").channels[0].count) == 8192
        }
        try FileManager.default.removeItem(atPath: bench.path)
        try await bench.stepper.step(1024)
        try await eventually("the file to be missed") { bench.tool.errors.text.contains("was removed") }
        try FileManager.default.createDirectory(atPath: bench.path, withIntermediateDirectories: false)
        try await bench.stepper.step(1024)
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.files.count, 1)
        assertWhole("Test plain.wav", in: result, of: bench, made: [begin..<end])
        XCTAssertEqual(result.figures["lost_frames"], "0")
    }

    func testAFolderThatIsGoneForGoodIsMadeAgainInTheEnd() async throws {
        let bench = try await startBench()
        try await bench.connect(try await bench.addSource("plain"))
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 2)
        try await eventually("a file") { FileManager.default.fileExists(atPath: "\(bench.path)/Test plain.wav") }
        try FileManager.default.removeItem(atPath: bench.path)
        try await bench.connect(try await bench.addSource("late"))
        let join = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 4)
        try await eventually("it to be reported") { bench.tool.errors.text.contains("Test late cannot be written now") }
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.figures["lost_frames"], "0")
        assertWhole("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertWhole("Test late.wav", in: result, of: bench, made: [join..<end])
    }

    func testWhatIsInNoFileInTheEndIsReported() async throws {
        let bench = try await startBench()
        try await bench.connect(try await bench.addSource("plain"))
        try await bench.stepper.step(1024, cycles: 2)
        try await eventually("a file") { FileManager.default.fileExists(atPath: "\(bench.path)/Test plain.wav") }
        try FileManager.default.removeItem(atPath: bench.path)
        XCTAssertTrue(FileManager.default.createFile(atPath: bench.path, contents: nil))
        try await bench.connect(try await bench.addSource("late"))
        try await bench.stepper.step(1024, cycles: 4)
        try await eventually("it to be reported") { bench.tool.errors.text.contains("Test late cannot be written now") }
        bench.tool.signal(SIGINT)
        let figures = try await figures(of: bench.tool, ending: .exited(1))
        XCTAssertEqual(figures["lost_frames"], "\(6 * 1024 + 4 * 1024)")
        XCTAssertEqual(figures["files"], "0")
        XCTAssertTrue(bench.tool.output.lines.contains("lost_frames=4096 source='Test late'"), bench.tool.output.text)
        XCTAssertTrue(bench.tool.errors.lines.last?.contains("are in no file") == true, bench.tool.errors.text)
    }

    private func openFiles(of bench: RecordingBench) async -> Int {
        let folder = "/proc/\(bench.tool.pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasSuffix(".wav") == true
        }
    }

    func testSourcesInTurnDoNotUseUpDescriptors() async throws {
        let bench = try await startBench(["--lanes", "2"])
        let plain = try await bench.addSource("plain")
        try await bench.connect(plain)
        let begin = Int(await bench.stepper.position)
        var made: [String: [Range<Int>]] = [:]
        for number in Array(0..<30) + [3, 17] {
            let name = "guest\(number)"
            let source = try await bench.addSource(name, channels: .mono)
            try await bench.connect(source)
            let first = Int(await bench.stepper.position)
            try await bench.stepper.step(1024)
            made["Test \(name).wav", default: []].append(first..<Int(await bench.stepper.position))
            await source.close()
            try await bench.stepper.settle()
            try await bench.stepper.step(64)
        }
        try await eventually("only one file to be open") { await self.openFiles(of: bench) == 1 }
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.files.count, 31)
        assertWhole("Test plain.wav", in: result, of: bench, made: [begin..<end])
        for (name, ranges) in made { assertWhole(name, in: result, of: bench, made: ranges) }
        XCTAssertEqual(result.figures["lost_frames"], "0")
    }
}
