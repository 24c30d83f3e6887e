// SPDX-License-Identifier: MIT
import Foundation
import Glibc

/// The resident memory, descriptors and threads of processes over the run, and whether they grow.
///
/// What was measured in the first quarter of the run does not count.
struct SoakResources {
    struct Sample {
        var time: Double
        var memory: Int
        var descriptors: Int
        var threads: Int
    }

    private struct Key: Hashable {
        var name: String
        var pid: Int32
    }

    private var samples: [Key: [Sample]] = [:]

    mutating func measure(_ name: String, _ pid: Int32, at time: Duration) {
        guard let sample = Self.sample(pid, at: time / .seconds(1)) else { return }
        samples[Key(name: name, pid: pid), default: []].append(sample)
    }

    private static func sample(_ pid: Int32, at time: Double) -> Sample? {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
        else { return nil }
        func number(_ key: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix("\(key):") } ?? ""
            return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
        }
        return Sample(
            time: time, memory: number("VmRSS"), descriptors: descriptors.count, threads: number("Threads"))
    }

    /// The samples of a quarter of a process's life, the first being 0.
    private static func quarter(_ number: Int, of all: [Sample]) -> [Sample] {
        guard let first = all.first, let last = all.last else { return [] }
        let length = (last.time - first.time) / 4
        let start = first.time + Double(number) * length
        return all.filter { $0.time >= start && $0.time <= start + length }
    }

    /// By how much a value has risen from each quarter to the next, the first one left out: whichever rose less, since a
    /// single step, as for a longer delay line, is no growth. The lowest values count.
    private static func rise(_ all: [Sample], _ value: (Sample) -> Int) -> Int {
        guard all.count >= 8 else { return 0 }
        let lowest = (1...3).compactMap { quarter($0, of: all).map(value).min() }
        return lowest.count == 3 ? min(lowest[1] - lowest[0], lowest[2] - lowest[1]) : 0
    }

    /// What has grown by more than it may; empty if nothing has.
    ///
    /// - Parameter kilobytes: the rise of resident memory in a quarter that is allowed, by a process's name.
    func growth(allowing kilobytes: (String) -> Int) -> [String] {
        samples.flatMap { key, all -> [String] in
            let memory = Self.rise(all, \.memory)
            var found: [String] = []
            if memory > kilobytes(key.name) { found.append("\(key.name): memory grows by \(memory) kB a quarter") }
            for (what, value) in [("descriptors", \Sample.descriptors), ("threads", \Sample.threads)] {
                let rise = Self.rise(all, { $0[keyPath: value] })
                if rise > 1 { found.append("\(key.name): \(rise) more \(what)") }
            }
            return found
        }
    }

    /// The processes that lived longest.
    var table: String {
        var lines = [
            "| process | memory after a quarter | at the end | rise in a quarter | descriptors | threads |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for (key, all) in samples.sorted(by: { $0.value.count > $1.value.count }).prefix(8) {
            guard let first = Self.quarter(1, of: all).first, let last = all.last else { continue }
            lines.append(
                "| \(key.name), \(Int(last.time - all[0].time)) s | \(first.memory) kB | \(last.memory) kB "
                    + "| \(Self.rise(all, \.memory)) kB | \(first.descriptors), \(last.descriptors) "
                    + "| \(first.threads), \(last.threads) |")
        }
        return lines.joined(separator: "\n")
    }
}
