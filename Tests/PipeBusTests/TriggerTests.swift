// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

final class TriggerTests: XCTestCase {
    private func texts(_ trigger: Trigger, place: Int = 0) -> [String: String] {
        trigger.values(place: place).mapValues(\.value)
    }

    func testWhatIsPublishedIsRead() {
        for kind in TriggerKind.allCases {
            for state in TriggerState.allCases {
                let face = TriggerFace(
                    title: "Nächste Strophe", iconName: "media-skip", color: TriggerColor(red: 255, green: 128, blue: 9)
                )
                let trigger = Trigger(id: "a.b-c_1", kind: kind, state: state, face: face)
                XCTAssertEqual(Trigger.all(in: texts(trigger)), [trigger])
            }
        }
    }

    func testTheyComeInTheOrderInWhichTheyAreShown() {
        let triggers = [("z", TriggerKind.button), ("a", .button), ("rec", .record), ("back", .rewind), ("go", .play)]
        var values: [String: String] = [:]
        for (place, (id, kind)) in triggers.enumerated() {
            let trigger = Trigger(id: id, kind: kind, state: .normal, face: TriggerFace(title: id))
            values.merge(texts(trigger, place: place)) { $1 }
        }
        XCTAssertEqual(Trigger.all(in: values).map(\.id), ["back", "go", "rec", "z", "a"])
    }

    func testWhatIsNoTriggerIsLeftOut() {
        let good = texts(Trigger(id: "good", kind: .button, state: .selected, face: TriggerFace(title: "Good")))
        let bad = [
            "trigger/x/kind": "record", "trigger/y/kind": "explode", "trigger/y/state": "normal",
            "trigger//kind": "play",
            "trigger/a/b/kind": "play", "trigger/é/kind": "play", "trigger/good/more": "1",
            "level/trigger/kind": "play",
            "trigger/\(String(repeating: "l", count: 65))/kind": "play",
        ]
        let found = Trigger.all(in: good.merging(bad) { $1 })
        XCTAssertEqual(found.map(\.id), ["good"])
        // A text that would not be taken of ourselves is replaced.
        let odd = Trigger.all(
            in: good.merging([
                "trigger/good/title": "a\u{1B}[2J", "trigger/good/icon": "\n", "trigger/good/color": "red",
                "trigger/good/place": "99999999999999999999",
            ]) { $1 })
        XCTAssertEqual(odd.first?.face, TriggerFace(title: "Button"))
    }

    func testAnAppHasNoMoreThanItMayHave() {
        var values: [String: String] = [:]
        for number in 0..<1000 {
            values["trigger/\(number)/kind"] = "button"
            values["trigger/\(number)/state"] = "normal"
        }
        XCTAssertEqual(Trigger.all(in: values).count, 64)
    }

    func testColours() {
        for text in ["#000000", "#ff8001", "#0a0b0c"] { XCTAssertEqual(TriggerColor(text)?.description, text) }
        XCTAssertEqual(TriggerColor("#FF8001"), TriggerColor(red: 255, green: 128, blue: 1))
        for text in ["", "#", "#fff", "ff8001", "#ff80011", "#ff800g", "#+f8001", "# f8001", "#ff800é"] {
            XCTAssertNil(TriggerColor(text), text)
        }
    }
}
