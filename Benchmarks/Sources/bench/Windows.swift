// SPDX-License-Identifier: MIT
import Foundation

/// Windows of one second in which programs that run in one graph are measured together.
struct Windows {
    static let rate = 48_000

    /// Nanoseconds per cycle in one window: of each program, or of all that belong to one figure.
    typealias Window = [String: Double]

    let count: Int
    let frames: Int

    /// Each program at each place, with each other one before it as often as after it.
    static func orders<Element>(of elements: [Element]) -> [[Element]] {
        elements.indices.flatMap { first in
            let rotated = Array(elements[first...] + elements[..<first])
            return [rotated, rotated.reversed()]
        }
    }

    /// The result of the windows in all orders for a program beside its peer: medians within an order, means over the
    /// orders.
    static func measure(
        _ ours: String, _ peer: String, named name: String, _ orders: [[Window]], aim: Double = 1.05
    ) -> Measure {
        func mean(_ value: (Window) -> Double) -> Double { orders.map { $0.map(value).median }.geometricMean }
        return Measure(
            name: name, unit: "ns", ours: mean { $0[ours, default: .nan] }, peer: mean { $0[peer, default: .nan] },
            ratio: mean { $0[ours, default: .nan] / $0[peer, default: .nan] }, aim: aim)
    }

    /// The requested number of windows in which no program had an xrun.
    ///
    /// - Parameters:
    ///   - check: takes the reports of each of these.
    ///   - value: the time of a program in a window.
    func collect(
        _ clients: [Client], _ report: inout Report,
        check: ([Client.Window]) throws -> Void = { _ in },
        value: (Client.Window) -> Double = { $0.nanosecondsPerCycle }
    ) throws -> [Window] {
        var good: [Window] = []
        for _ in 0..<(count * 4) where good.count < count {
            for client in clients { try client.beginWindow() }
            Thread.sleep(forTimeInterval: 1)
            for client in clients { try client.askForWindow() }
            let answers = try clients.map { ($0.figure, try $0.readWindow()) }
            report.schedulings.formUnion(answers.map(\.1.scheduling))
            if answers.allSatisfy({ isWhole($0.1) }) {
                try check(answers.map(\.1))
                good.append(Window(answers.map { ($0.0, value($0.1)) }, uniquingKeysWith: +))
            } else {
                report.discardedWindows += 1
            }
        }
        guard good.count == count else {
            throw BenchError("The machine is too busy: cycles were lost in most windows. Try again when it is quiet.")
        }
        report.windows += good.count
        return good
    }

    /// Whether there were as many cycles as periods, but for a few.
    private func isWhole(_ window: Client.Window) -> Bool {
        guard window.frames == frames else { return false }
        let expected = Double(window.elapsedNanoseconds) * Double(Self.rate) / Double(frames) / 1e9
        return abs(Double(window.cycles) - expected) <= max(expected / 100, 3)
    }
}
