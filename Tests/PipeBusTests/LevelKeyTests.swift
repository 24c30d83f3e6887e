// SPDX-License-Identifier: MIT
import ConnectionGraph
import SeededRandom
import XCTest

@testable import PipeBus

final class LevelKeyTests: XCTestCase {
    func testAKeyIsReadAsItIsWritten() {
        for part in LevelKey.Part.allCases {
            let key = LevelKey(receiver: "in put", source: GraphPort.ID(serial: .max), part: part)
            XCTAssertEqual(LevelKey(key.text), key)
        }
    }

    func testAnyOtherTextIsNoKey() {
        let others = [
            "", "level", "level/in/1", "level/in/1/volume/", "level//1/volume", "level/in//volume",
            "level/in/-1/volume",
            "level/in/+1/volume", "level/in/1.0/volume", "level/in/18446744073709551616/volume", "level/in/1/Volume",
            "levels/in/1/volume", "level/in/１/volume", "/level/in/1/volume", "level/in/01/volume",
            "level/in/000/volume",
            String(repeating: "/", count: 1000),
        ]
        for text in others { XCTAssertNil(LevelKey(text), text) }
    }

    func testAValueOutOfRangeIsClampedAndNonsenseIsTheDefault() {
        var level = Source.Level(volume: 0.5, pan: 0.5)
        XCTAssertNil(LevelKey.Part.volume.set(&level, to: "7"))
        XCTAssertEqual(level.volume, 1)
        XCTAssertNil(LevelKey.Part.pan.set(&level, to: "-1e300"))
        XCTAssertEqual(level.pan, -1)
        let before = level
        for text in ["", " 1", "nan", "inf", "-inf", "1,5", "on", "0x", String(repeating: "9", count: 4000), "\u{0}1"] {
            XCTAssertNotNil(LevelKey.Part.volume.set(&level, to: text), text)
            XCTAssertNotNil(LevelKey.Part.pan.set(&level, to: text), text)
        }
        for text in ["", "yes", "TRUE", "2", "1 "] {
            XCTAssertNotNil(LevelKey.Part.mute.set(&level, to: text), text)
            XCTAssertNotNil(LevelKey.Part.solo.set(&level, to: text), text)
        }
        XCTAssertEqual(level, before)
        XCTAssertNil(LevelKey.Part.mute.set(&level, to: "true"))
        XCTAssertNil(LevelKey.Part.solo.set(&level, to: "1"))
        XCTAssertTrue(level.isMuted && level.isSoloed)
    }

    func testEveryPartIsReadBackFromItsText() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<1000 {
            let level = Source.Level(
                volume: .random(in: 0...1, using: &random), pan: .random(in: -1...1, using: &random),
                isMuted: .random(using: &random), isSoloed: .random(using: &random))
            var back = Source.Level()
            for part in LevelKey.Part.allCases { XCTAssertNil(part.set(&back, to: part.text(of: level))) }
            XCTAssertEqual(back, level)
        }
    }
}
