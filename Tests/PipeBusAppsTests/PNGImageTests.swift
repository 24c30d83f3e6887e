// SPDX-License-Identifier: MIT
import PipeBus
import SeededRandom
import XCTest

@testable import PipeBusApps

/// Pictures that any app may publish: those that are what they say, and those that lie.
final class PNGImageTests: XCTestCase {
    private func reason(_ bytes: [UInt8]) -> String? {
        do {
            _ = try PNGImage(bytes)
            return nil
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .invalidArgument)
            return error.message
        } catch {
            XCTFail("\(error)")
            return nil
        }
    }

    func testPicturesOfEveryForm() throws {
        var random = SeededGenerator(seed: 13)
        let depths: [UInt8: [UInt8]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
        for (colourType, depths) in depths {
            for bitDepth in depths {
                for isInterlaced in [false, true] {
                    let maker = PNGMaker(
                        width: .random(in: 1...40, using: &random), height: .random(in: 1...40, using: &random),
                        bitDepth: bitDepth, colourType: colourType, isInterlaced: isInterlaced)
                    let bytes = maker.file { .random(in: 0...255, using: &random) }
                    let picture = try PNGImage(bytes)
                    XCTAssertEqual([picture.width, picture.height], [maker.width, maker.height])
                    XCTAssertEqual(picture.bytes, bytes)
                    XCTAssertEqual(IconImage(bytes), IconImage(picture))
                }
            }
        }
        for (width, height) in [(136, 136), (1, 1), (2048, 1), (1, 2048)] {
            XCTAssertNoThrow(try PNGImage(PNGMaker(width: width, height: height).file()))
        }
    }

    func testTheLargestPicture() throws {
        let bytes = PNGMaker(width: 2048, height: 2048, bitDepth: 16).file(
            data: PNGMaker.compressed([UInt8](repeating: 0, count: 2048 * (2048 * 8 + 1))))
        XCTAssertLessThan(bytes.count, 1 << 16)
        XCTAssertEqual(try PNGImage(bytes).width, 2048)
    }

    func testEachLieHasItsSentence() throws {
        let good = PNGMaker(width: 4, height: 3)
        let file = good.file()
        XCTAssertNil(reason(file))
        var wrongSum = file
        wrongSum[file.count - 20] ^= 1
        var wrongLength = file
        wrongLength[8] = 0xFF
        let zeros = PNGMaker.compressed([UInt8](repeating: 0, count: 1_000_000))
        let pixels = PNGMaker.compressed(good.pixels { 1 })
        for (bytes, sentence) in [
            ([], "The picture is no PNG: it does not begin as one."),
            (Array("GIF89a".utf8), "The picture is no PNG: it does not begin as one."),
            (Array(file.dropFirst()), "The picture is no PNG: it does not begin as one."),
            (Array(file[..<8]), "The PNG is damaged: it is cut off."),
            (PNGMaker.signature + PNGMaker.chunk("IHDR", [1, 2]), "The PNG is damaged: it has no header."),
            (PNGMaker.signature + PNGMaker.chunk("IEND"), "The PNG is damaged: it has no header."),
            (PNGMaker(width: 0, height: 3).file(data: zeros), "0 × 3 pixels large; 1 to 2048 each are allowed."),
            (PNGMaker(width: 3, height: 2049).file(data: zeros), "3 × 2049 pixels large; 1 to 2048"),
            (PNGMaker(width: 0xFFFF_FFFF, height: 0x7FFF_FFFF).file(data: zeros), "4294967295 × 2147483647 pixels"),
            (Array(file.dropLast()), "The PNG is damaged: it is cut off."),
            (Array(file.dropLast(12)), "The PNG is damaged: it is cut off."),
            (wrongLength, "The PNG is damaged: it is cut off."),
            (wrongSum, "The PNG is damaged: the checksum of its chunk IDAT is wrong."),
            (good.file(data: zeros), "its pixels cannot be decoded (IDAT: Too much image data)"),
            (good.file(data: Array(pixels.dropLast(6))), "its pixels cannot be decoded"),
            (good.file(data: PNGMaker.compressed([9, 9, 9])), "its pixels cannot be decoded"),
            (good.file(data: []), "its pixels cannot be decoded"),
            (file + [0], "The PNG is damaged: there are 1 bytes after its end."),
            (file + file, "The PNG is damaged: there are \(file.count) bytes after its end."),
            (PNGMaker.signature + good.header + PNGMaker.chunk("IEND"), "The PNG is damaged: it has no pixels."),
            (good.file(data: pixels, before: good.header), "The PNG is damaged: it has two headers."),
            (good.file(data: pixels, before: PNGMaker.chunk("A1CD")), "The PNG is damaged: a chunk of it has no name."),
            (good.file(data: pixels, before: PNGMaker.chunk("ABCD")), "its pixels cannot be decoded (ABCD"),
            (PNGMaker(width: 4, height: 3, bitDepth: 3).file(data: pixels), "its pixels cannot be decoded"),
            (
                PNGMaker.signature + PNGMaker(width: 4, height: 3, colourType: 3).header
                    + PNGMaker.chunk("IDAT", pixels) + PNGMaker.chunk("IEND"), "its pixels cannot be decoded"
            ),
            (
                file + [UInt8](repeating: 0, count: PNGImage.largestFile),
                "The picture has \(file.count + PNGImage.largestFile) bytes; at most 4194304 (4 MiB) are allowed."
            ),
        ] {
            let given = try XCTUnwrap(reason(bytes), sentence)
            XCTAssertTrue(given.contains(sentence), "\(given) has not: \(sentence)")
            XCTAssertTrue(given.hasSuffix("."), given)
            XCTAssertNil(IconImage(bytes))
        }
    }

    func testAProfileThatGrowsIsNoTrap() throws {
        // Fifty megabytes in a chunk that says something about colours.
        let profile = Array("x\0\0".utf8) + PNGMaker.compressed([UInt8](repeating: 0, count: 50_000_000))
        let maker = PNGMaker(width: 4, height: 3)
        let bytes = maker.file(
            data: PNGMaker.compressed(maker.pixels { 1 }), before: PNGMaker.chunk("iCCP", profile))
        XCTAssertNil(reason(bytes), "libpng passes over it")
    }

    /// Damages files again and again: none may end the program or take long, and what is taken is in bounds.
    func testDamagedPicturesNeverCrash() throws {
        for seed in 1...4 {
            var random = SeededGenerator(seed: UInt64(seed))
            var taken = 0
            for round in 0..<2500 {
                let maker = PNGMaker(
                    width: .random(in: 1...20, using: &random), height: .random(in: 1...20, using: &random),
                    bitDepth: 8, colourType: [0, 2, 3, 4, 6].randomElement(using: &random)!,
                    isInterlaced: .random(using: &random))
                var bytes = maker.file { .random(in: 0...255, using: &random) }
                for _ in 0..<Int.random(in: 1...4, using: &random) { Self.damage(&bytes, &random) }
                if Bool.random(using: &random) { bytes = Self.withRightSums(bytes) }
                guard let picture = try? PNGImage(bytes) else { continue }
                taken += 1
                XCTAssertTrue(
                    (1...2048).contains(picture.width) && (1...2048).contains(picture.height), "\(seed) \(round)")
                XCTAssertEqual(picture.bytes, bytes)
            }
            XCTAssertGreaterThan(taken, 0, "no damaged picture came through: the damage is too great to test anything")
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        case 2: bytes.removeLast(bytes.count - place)
        case 3: bytes.insert(contentsOf: (0...9).map { _ in .random(in: 0...255, using: &random) }, at: place)
        case 4: bytes.removeSubrange(place..<min(place + 9, bytes.count))
        default:
            let chunks = [
                PNGMaker.chunk("tRNS", [1, 2]), PNGMaker.chunk("gAMA", [0, 0, 0, 0]),
                PNGMaker.chunk("PLTE", [1, 2, 3]),
                PNGMaker.chunk("zTXt", [1, 2]), PNGMaker.chunk("sBIT", [9]), PNGMaker.chunk("IDAT"),
                PNGMaker.chunk("cHRM"),
            ]
            bytes.insert(contentsOf: chunks.randomElement(using: &random)!, at: min(33, bytes.count))
        }
    }

    /// The same chunks with checksums that fit, so that damage comes further than to these.
    private static func withRightSums(_ bytes: [UInt8]) -> [UInt8] {
        var result = Array(bytes.prefix(8))
        var rest = bytes.dropFirst(8)
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length <= rest.count - 12 else { break }
            let name = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            guard name.utf8.count == 4 else { break }
            result += PNGMaker.chunk(name, Array(rest.dropFirst(8).prefix(length)))
            rest = rest.dropFirst(12 + length)
        }
        return result + rest
    }
}
