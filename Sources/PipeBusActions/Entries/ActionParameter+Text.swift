// SPDX-License-Identifier: MIT

/// The form of a parameter in a desktop entry:
///
/// | kind | form |
/// | --- | --- |
/// | number | `name:number:lowest:highest:unit:default:title` |
/// | choice | `name:choice:word,word,…:default:title` |
/// | flag | `name:flag:default:title` |
///
/// A title may have colons.
extension ActionParameter {
    var text: String {
        switch kind {
        case .number(let range, let unit, let value):
            "\(name):number:\(DecimalText.of(range.lowerBound)):\(DecimalText.of(range.upperBound)):\(unit):\(DecimalText.of(value)):\(title)"
        case .choice(let words, let word): "\(name):choice:\(words.joined(separator: ",")):\(word):\(title)"
        case .flag(let value): "\(name):flag:\(value):\(title)"
        }
    }

    /// Reads the form. Text of another program may be anything.
    ///
    /// - Returns: `nil` if it is no parameter.
    init?(text: String) {
        // By scalars: with a mark behind it, a colon is another character.
        let fields = text.unicodeScalars.split(separator: ":", maxSplits: 6, omittingEmptySubsequences: false)
            .map { String($0) }
        func title(from place: Int) -> String? {
            guard fields.count >= place else { return nil }
            let title = fields[place...].joined(separator: ":")
            return title.isEmpty ? fields[0] : title
        }
        guard fields.count >= 3 else { return nil }
        let (kind, shown): (Kind, String)
        switch fields[1] {
        case "number":
            guard fields.count >= 6, let lowest = Double(fields[2]), let highest = Double(fields[3]), lowest <= highest,
                let value = Double(fields[5]), let name = title(from: 6)
            else { return nil }
            (kind, shown) = (.number(range: lowest...highest, unit: fields[4], default: value), name)
        case "choice":
            guard fields.count >= 4, let name = title(from: 4) else { return nil }
            let words = fields[2].unicodeScalars.split(separator: ",", omittingEmptySubsequences: false)
            (kind, shown) = (.choice(words.map { String($0) }, default: fields[3]), name)
        case "flag":
            guard fields[2] == "true" || fields[2] == "false", let name = title(from: 3) else { return nil }
            (kind, shown) = (.flag(default: fields[2] == "true"), name)
        default: return nil
        }
        self.init(name: fields[0], title: shown, kind: kind)
        guard isValid else { return nil }
    }
}
