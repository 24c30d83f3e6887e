// SPDX-License-Identifier: MIT

/// A vowel that the synth sings: the frequencies of its three formants, in hertz.
///
/// Means of men's voices, from Peterson and Barney, "Control Methods Used in a Study of the Vowels", 1952.
enum Vowel: String, CaseIterable, Sendable {
    case a, e, i, o, u

    var formants: (Double, Double, Double) {
        switch self {
        case .a: (730, 1090, 2440)
        case .e: (530, 1840, 2480)
        case .i: (270, 2290, 3010)
        case .o: (570, 840, 2410)
        case .u: (300, 870, 2240)
        }
    }

    var next: Vowel { Self.allCases[(Self.allCases.firstIndex(of: self)! + 1) % Self.allCases.count] }
}
