// SPDX-License-Identifier: MIT
import Glibc
import PipeBusTesting

/// A part of the test kit in a process of its own, controlled line by line on its standard input. The end of the input
/// ends it.
///
/// It is a stepper with another PipeWire than the tests have loaded, or a daemon whose owner a test kills.
@main
enum KitHost {
    static func main() async {
        do {
            switch CommandLine.arguments.dropFirst() {
            case ["stepper"]: try await runStepper()
            case ["daemon"]: try await runDaemon()
            default: throw TestKitError("Say which part is wanted: stepper or daemon.")
            }
        } catch {
            answer("error \(error)")
        }
    }

    private static func runDaemon() async throws {
        let daemon = try await HeadlessPipeWire.start(limit: .seconds(60))
        answer("ready \(daemon.remote)")
        answer("\(daemon.pid)")
        while readLine() != nil {}
        try await daemon.close()
    }

    /// Commands: `step 1024*100 16`, a hundred cycles of 1024 frames and one of 16; `settle`;
    /// `clock 7 44100`, another clock with its rate; `move 0 500`, the clock's position after so many milliseconds.
    private static func runStepper() async throws {
        let stepper = try await GraphStepper.start()
        answer("ready \(stepper.remote)")
        while let line = readLine() {
            let words = line.split(separator: " ")
            do {
                switch words.first {
                case "settle": try await stepper.settle()
                case "step":
                    for word in words.dropFirst() {
                        let numbers = word.split(separator: "*").compactMap { Int($0) }
                        guard let frames = numbers.first, numbers.count <= 2 else {
                            throw TestKitError("What is \(word)?")
                        }
                        try await stepper.step(frames, cycles: numbers.count == 2 ? numbers[1] : 1)
                    }
                case "clock":
                    let numbers = words.dropFirst().compactMap { Int($0) }
                    await stepper.setClock(UInt32(numbers[0]), sampleRate: numbers[1])
                case "move":
                    let numbers = words.dropFirst().compactMap { Int($0) }
                    await stepper.moveClock(to: UInt64(numbers[0]), after: .milliseconds(numbers[1]))
                default: throw TestKitError("What is \(line)?")
                }
                answer("done \(await stepper.position)")
            } catch {
                answer("error \(error)")
            }
        }
        try await stepper.close()
    }

    private static func answer(_ line: String) {
        print(line.replacing("\n", with: " "))
        // A pipe is otherwise written in blocks, and the reader waits for the line.
        fflush(nil)
    }
}
