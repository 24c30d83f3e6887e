// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import XCTest

@testable import PipeBusCommand

/// The icons of apps in pictures of the graph.
final class IconTests: XCTestCase {
    private static let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><rect/></svg>"
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    private var root = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "icons-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: root) }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    private var theme: IconTheme {
        IconTheme(
            folders: ["own", "shared", "missing"].map { root.appending(path: $0).path },
            otherFolders: [root.appending(path: "pixmaps").path])
    }

    func testThePersonsOwnIconsComeFirstThenTheBestSize() throws {
        func sized(_ size: UInt8) -> [UInt8] { Self.png + [size] }
        try write(sized(16), to: "shared/hicolor/16x16/apps/synth.png")
        try write(sized(48), to: "shared/hicolor/48x48/apps/synth.png")
        XCTAssertEqual(theme.image(named: "synth"), IconImage(sized(48)))
        try write(sized(200), to: "shared/hicolor/256x256/apps/synth.png")
        try write(sized(64), to: "shared/hicolor/64x64/apps/synth.png")
        XCTAssertEqual(theme.image(named: "synth"), IconImage(sized(64)))
        try write(Array(Self.svg.utf8), to: "shared/hicolor/scalable/apps/synth.svg")
        XCTAssertEqual(theme.image(named: "synth")?.format, .svg)
        try write(sized(22), to: "own/hicolor/22x22/apps/synth.png")
        XCTAssertEqual(theme.image(named: "synth"), IconImage(sized(22)))
        try write(sized(1), to: "pixmaps/old.png")
        XCTAssertEqual(theme.image(named: "old"), IconImage(sized(1)))
        XCTAssertNil(theme.image(named: "unknown"))
    }

    func testANameIsNoPath() throws {
        try write(Self.png, to: "shared/hicolor/secret.png")
        try write(Self.png, to: "shared/hicolor/64x64/apps/.hidden.png")
        try FileManager.default.createDirectory(
            at: root.appending(path: "shared/hicolor/64x64/apps/folder.png"), withIntermediateDirectories: true)
        for name in [
            "../../secret", "/etc/passwd", "..", ".", "", ".hidden", "folder", "a\0b",
            String(repeating: "x", count: 5000),
        ] {
            XCTAssertNil(theme.image(named: name), name)
        }
    }

    func testOnlyPicturesOfBoundedSizeAreTaken() throws {
        XCTAssertEqual(IconImage(Self.png)?.format, .png)
        XCTAssertEqual(IconImage(Array(Self.svg.utf8))?.format, .svg)
        for bytes in [
            [], Array("root:x:0:0".utf8), [0xFF, 0xD8, 0xFF], Array("<svg>".utf8) + [0xFF],
            Array("<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>&a;</svg>".utf8),
            Self.png + Array(repeating: 0, count: IconImage.largestFile),
        ] {
            XCTAssertNil(IconImage(bytes))
        }
        // A pipe without a writer keeps nobody waiting.
        try write(Self.png, to: "shared/hicolor/64x64/apps/synth.png")
        let pipe = root.appending(path: "shared/hicolor/64x64/apps/pipe.png").path
        XCTAssertEqual(unsafe mkfifo(pipe, 0o600), 0)
        XCTAssertNil(theme.image(named: "pipe"))
        try write(
            Self.png + Array(repeating: 0, count: IconImage.largestFile), to: "shared/hicolor/64x64/apps/large.png")
        XCTAssertNil(theme.image(named: "large"))
    }

    func testAPictureHasEachIconOnce() throws {
        var diagram = DiagramFixture.everything.diagram()
        diagram.apps = diagram.apps.map {
            var app = $0
            app.icon = app.kind == .app ? "synth" : nil
            return app
        }
        let icon = try XCTUnwrap(IconImage(Self.png))
        let text = GraphSVG(diagram, icons: ["synth": icon, "another": icon]).text
        XCTAssertTrue(XMLParser(data: Data(text.utf8)).parse())
        XCTAssertEqual(text.components(separatedBy: "<image ").count, 2)
        XCTAssertTrue(text.contains("href=\"data:image/png;base64,\(Data(Self.png).base64EncodedString())\""))
        XCTAssertGreaterThan(text.components(separatedBy: "<use href=\"#icon0\"").count, 2)
        XCTAssertFalse(GraphSVG(diagram).text.contains("<image "))
    }
}
