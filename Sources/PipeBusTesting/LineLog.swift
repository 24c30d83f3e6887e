// SPDX-License-Identifier: MIT

/// The output of a program by lines, with waiting for a line. Unless it is to be whole, only the newest lines are kept, and
/// fewer of those that ``next(within:where:)`` has looked at.
package final class LineLog: Sendable {
    private struct State {
        var lines: [String] = []
        /// Number of lines that were dropped before the first of `lines`.
        var dropped = 0
        /// The number of the first line, from the start, that ``LineLog/next(within:where:)`` has not looked at.
        var cursor = 0
        var unfinished: [UInt8] = []
        /// The bytes of `lines`.
        var size = 0
        /// The bytes of the lines before `cursor`.
        var readSize = 0
        /// Number of all bytes so far.
        var received = 0
        var hasEnded = false
        let isWhole: Bool
    }

    private static let capacity = 10_000
    /// In bytes: a program that answers for hours must not fill the memory.
    private static let sizeLimit = 1 << 20
    private static let longestLine = 1 << 20
    private static let readCapacity = 1000
    /// In bytes: a test that asks many programs for hours keeps the log of each.
    private static let readSizeLimit = 1 << 16

    private let state: Monitor<State>

    /// - Parameter isWhole: whether all lines are kept.
    init(isWhole: Bool = false) { state = Monitor(State(isWhole: isWhole)) }

    /// All kept lines, and the start of one that has not ended.
    package var text: String {
        state.update { state in
            let rest = state.unfinished.isEmpty ? [] : [String(decoding: state.unfinished, as: UTF8.self)]
            return (state.lines + rest).joined(separator: "\n")
        }
    }

    package var lines: [String] { state.update { $0.lines } }

    /// Whether the output has ended.
    package var hasEnded: Bool { state.update { $0.hasEnded } }

    /// The first new line that fits; `nil` on timeout or when the output has ended.
    ///
    /// - Thread: any but one that must not block.
    func next(within timeout: Duration, where fits: (String) -> Bool) -> String? {
        let found: String?? = state.wait(within: timeout) { state in
            defer { Self.dropRead(&state) }
            var index = max(state.cursor - state.dropped, 0)
            while index < state.lines.count {
                let line = state.lines[index]
                index += 1
                state.cursor = state.dropped + index
                state.readSize += line.utf8.count
                if fits(line) { return .some(line) }
            }
            return state.hasEnded ? .some(nil) : nil
        }
        return found ?? nil
    }

    /// Waits for the end of the output. `false` on timeout.
    func waitForEnd(within timeout: Duration) -> Bool {
        state.wait(within: timeout) { $0.hasEnded ? true : nil } ?? false
    }

    /// Waits for the end of the output, or until nothing more has come for a time, or a longer time is over.
    func waitForEnd(orSilenceOf silence: Duration, within timeout: Duration) {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        var received = -1
        while ContinuousClock.now < deadline {
            let now = state.update { $0.received }
            guard now != received else { return }
            received = now
            if waitForEnd(within: silence) { return }
        }
    }

    func append(_ bytes: ArraySlice<UInt8>) {
        state.update { state in
            state.received += bytes.count
            var rest = bytes
            while let newline = rest.firstIndex(of: 0x0A) {
                Self.add(rest[..<newline], &state)
                Self.finishLine(&state)
                rest = rest[(newline + 1)...]
            }
            Self.add(rest, &state)
        }
    }

    /// Adds bytes without the end of a line.
    private static func add(_ bytes: ArraySlice<UInt8>, _ state: inout State) {
        var rest = bytes
        while state.unfinished.count + rest.count > longestLine {
            let count = longestLine - state.unfinished.count
            state.unfinished += rest.prefix(count)
            finishLine(&state)
            rest = rest.dropFirst(count)
        }
        state.unfinished += rest
    }

    func end() {
        state.update { state in
            if !state.unfinished.isEmpty { Self.finishLine(&state) }
            state.hasEnded = true
        }
    }

    private static func finishLine(_ state: inout State) {
        state.size += state.unfinished.count
        state.lines.append(String(decoding: state.unfinished, as: UTF8.self))
        state.unfinished.removeAll(keepingCapacity: true)
        guard !state.isWhole, state.lines.count > 2 * capacity || state.size > 2 * sizeLimit else { return }
        var kept = state.lines.count
        var size = state.size
        while kept > 1, kept > capacity || size > sizeLimit {
            size -= state.lines[state.lines.count - kept].utf8.count
            kept -= 1
        }
        drop(state.lines.count - kept, &state)
    }

    private static func dropRead(_ state: inout State) {
        let read = state.cursor - state.dropped
        guard !state.isWhole, read > 2 * readCapacity || state.readSize > 2 * readSizeLimit else { return }
        var kept = read
        var size = state.readSize
        // The newest stays, for errors.
        while kept > 1, kept > readCapacity || size > readSizeLimit {
            size -= state.lines[read - kept].utf8.count
            kept -= 1
        }
        drop(read - kept, &state)
    }

    /// Drops the oldest lines.
    private static func drop(_ count: Int, _ state: inout State) {
        let read = max(state.cursor - state.dropped, 0)
        for (index, line) in state.lines.prefix(count).enumerated() {
            state.size -= line.utf8.count
            if index < read { state.readSize -= line.utf8.count }
        }
        state.dropped += count
        state.lines.removeFirst(count)
    }
}
