// SPDX-License-Identifier: MIT

/// What a program wrote, line by line, for whoever wants to wait for one. Keeps the newest lines only.
package final class LineLog: Sendable {
    private struct State {
        var lines: [String] = []
        /// Lines that were dropped before the first of `lines`.
        var dropped = 0
        /// The first line, counted from the very beginning, that ``LineLog/next(within:where:)`` has not looked at.
        var cursor = 0
        var unfinished: [UInt8] = []
        var hasEnded = false
    }

    private static let capacity = 10_000
    private static let longestLine = 1 << 20

    private let state = Monitor(State())

    /// Everything that is kept, a line each, and the beginning of one that has not ended.
    package var text: String {
        state.update { state in
            let rest = state.unfinished.isEmpty ? [] : [String(decoding: state.unfinished, as: UTF8.self)]
            return (state.lines + rest).joined(separator: "\n")
        }
    }

    package var lines: [String] { state.update { $0.lines } }

    /// Nothing more will come.
    package var hasEnded: Bool { state.update { $0.hasEnded } }

    /// The first line that fits and was not looked at before, or `nil` if none comes in time or none can come any more.
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

    /// Waits for the end. `false` when it does not come in time.
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
        state.lines.append(String(decoding: state.unfinished, as: UTF8.self))
        state.unfinished.removeAll(keepingCapacity: true)
        guard state.lines.count > 2 * capacity else { return }
        state.lines.removeFirst(capacity)
        state.dropped += capacity
    }
}
