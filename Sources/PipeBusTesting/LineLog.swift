// SPDX-License-Identifier: MIT

/// The output of a program by lines, with waiting for a line. Only the newest lines are kept.
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
        var hasEnded = false
    }

    private static let capacity = 10_000
    /// In bytes: a program that answers for hours must not fill the memory.
    private static let sizeLimit = 1 << 20
    private static let longestLine = 1 << 20

    private let state = Monitor(State())

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
            var index = max(state.cursor - state.dropped, 0)
            while index < state.lines.count {
                let line = state.lines[index]
                index += 1
                state.cursor = state.dropped + index
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

    func append(_ bytes: some Sequence<UInt8>) {
        state.update { state in
            for byte in bytes {
                if byte == 0x0A || state.unfinished.count == Self.longestLine { Self.finishLine(&state) }
                if byte != 0x0A { state.unfinished.append(byte) }
            }
        }
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
        guard state.lines.count > 2 * capacity || state.size > 2 * sizeLimit else { return }
        var kept = state.lines.count
        while kept > 1, kept > capacity || state.size > sizeLimit {
            state.size -= state.lines[state.lines.count - kept].utf8.count
            kept -= 1
        }
        state.dropped += state.lines.count - kept
        state.lines.removeFirst(state.lines.count - kept)
    }
}
