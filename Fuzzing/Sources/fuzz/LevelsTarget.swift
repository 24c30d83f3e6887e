// SPDX-License-Identifier: MIT
import Foundation
import PipeBus

/// Saved levels, which an app reads from a file.
func fuzzLevels(_ input: Input) {
    guard let levels = try? JSONDecoder().decode(SourceLevels.self, from: Data(input.rest)) else { return }
    for source in levels.sources { checkRange(levels[source]) }
    do {
        let again = try JSONDecoder().decode(SourceLevels.self, from: try JSONEncoder().encode(levels))
        check(again == levels, "saved levels have changed")
    } catch {
        fatalError("levels cannot be saved and read again: \(error)")
    }
}

func checkRange(_ level: Source.Level) {
    check(0...1 ~= level.volume, "a volume of \(level.volume)")
    check(-1...1 ~= level.pan, "a pan of \(level.pan)")
}
