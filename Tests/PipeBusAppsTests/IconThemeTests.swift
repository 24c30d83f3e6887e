// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import XCTest

@testable import PipeBusApps

/// Where icons are found: themes are files that any program may have installed.
final class IconThemeTests: XCTestCase {
    private var root = URL(fileURLWithPath: "/")

    override func setUpWithError() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "icons-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(at: root) }

    private func write(_ text: String, to path: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Installs an icon that tells by its bytes which one it is.
    private func put(_ path: String) throws { try write("<svg><!-- \(path) --></svg>", to: path) }

    private func theme(_ name: String = "Mine") -> IconTheme {
        IconTheme(name: name, folders: ["own", "shared", "missing", "pixmaps"].map { root.appending(path: $0).path })
    }

    /// Which icon is found.
    private func found(_ name: String, _ size: Int = 48, scale: Int = 1, in theme: IconTheme? = nil) -> String? {
        (theme ?? self.theme()).image(named: name, size: size, scale: scale).map {
            String(String(decoding: $0.bytes, as: UTF8.self).dropFirst(10).dropLast(10))
        }
    }

    func testTheNearestSizeIsTaken() throws {
        try write(
            """
            [Icon Theme]
            Name=Mine
            Directories=fixed, scalable/apps,threshold,none,../out,/etc,empty
            ScaledDirectories=fixed@2
            [fixed]
            Size=16
            Type=Fixed
            [fixed@2]
            Size=16
            Scale=2
            Type=Fixed
            [scalable/apps]
            Size=128
            MinSize=100
            MaxSize=300
            Type=Scalable
            [threshold]
            Size=48
            Threshold=4
            [../out]
            Size=48
            """, to: "shared/Mine/index.theme")
        for folder in ["fixed", "fixed@2", "scalable/apps", "threshold", "none"] {
            try put("shared/Mine/\(folder)/synth.svg")
        }
        try put("shared/out/synth.svg")
        for (size, scale, folder) in [
            (16, 1, "fixed"), (16, 2, "fixed@2"), (44, 1, "threshold"), (52, 1, "threshold"), (300, 1, "scalable/apps"),
            (1000, 1, "scalable/apps"), (8, 1, "fixed"), (28, 1, "fixed@2"), (70, 1, "threshold"),
            (90, 1, "scalable/apps"), (0, 0, "fixed"), (-5, .min, "fixed"), (.max, .max, "scalable/apps"),
        ] {
            XCTAssertEqual(found("synth", size, scale: scale), "shared/Mine/\(folder)/synth.svg", "\(size) \(scale)")
        }
        // The user's own icons are in the same theme, and come first in a size.
        try put("own/Mine/threshold/synth.svg")
        XCTAssertEqual(found("synth"), "own/Mine/threshold/synth.svg")
        XCTAssertEqual(found("synth", 16), "shared/Mine/fixed/synth.svg")
    }

    func testThemesInheritAndLoopsEnd() throws {
        func index(_ name: String, _ parents: String) throws {
            try write(
                "[Icon Theme]\nName=x\nInherits=\(parents)\nDirectories=a\n[a]\nSize=48\n",
                to: "shared/\(name)/index.theme")
            try put("shared/\(name)/a/\(name).svg")
        }
        try index("Mine", "One,Two,Mine,none,../Mine")
        try index("One", "Deep")
        try index("Deep", "Mine,One")
        try index("Two", "")
        for name in ["One", "Deep", "Two"] { XCTAssertEqual(found(name), "shared/\(name)/a/\(name).svg") }
        // Depth first, and the common theme last, whether its index is installed or not.
        try put("shared/Deep/a/both.svg")
        try put("shared/Two/a/both.svg")
        try put("own/hicolor/48x48/apps/both.svg")
        XCTAssertEqual(found("both"), "shared/Deep/a/both.svg")
        try put("own/hicolor/22x22/apps/app.svg")
        try put("shared/hicolor/scalable/devices/app.svg")
        XCTAssertEqual(found("app"), "shared/hicolor/scalable/devices/app.svg")
        XCTAssertEqual(found("app", 22), "own/hicolor/22x22/apps/app.svg")
        XCTAssertEqual(found("app", in: theme("not installed")), "shared/hicolor/scalable/devices/app.svg")
        try write(
            "[Icon Theme]\nName=Hicolor\nDirectories=b\n[b]\nSize=48\n", to: "shared/hicolor/index.theme")
        try put("own/hicolor/b/app.svg")
        XCTAssertEqual(found("app"), "own/hicolor/b/app.svg")
        // Icons of no theme.
        try put("pixmaps/old.svg")
        XCTAssertEqual(found("old"), "pixmaps/old.svg")
        XCTAssertNil(found("unknown"))
    }

    func testHostileIndexesAreBounded() throws {
        let names = (0..<3000).map { "t\($0)" }
        for (place, name) in names.prefix(40).enumerated() {
            try write(
                "[Icon Theme]\nInherits=t\(place + 1),\(names.joined(separator: ","))\nDirectories=a\n[a]\nSize=48\n",
                to: "shared/\(name)/index.theme")
            try put("shared/\(name)/a/icon\(place).svg")
        }
        let deep = theme("t0")
        XCTAssertEqual(found("icon15", in: deep), "shared/t15/a/icon15.svg")
        XCTAssertNil(found("icon16", in: deep))
        for (place, text) in [
            "", "[Icon Theme", "[Icon Theme]\nDirectories=\(names.joined(separator: ","))\n",
            "[Icon Theme]\nDirectories=a\n[a]\nSize=99999999999999999999\n",
            "[Icon Theme]\nDirectories=a\n[a]\nSize=48\nType=Scalable\nMinSize=4096\nMaxSize=1\nScale=0\n",
            "[Icon Theme]\nDirectories=a\n[a]\nSize=-1\n", String(repeating: "x", count: 2 << 20),
        ].enumerated() {
            try write(text, to: "shared/bad\(place)/index.theme")
            XCTAssertNil(found("unknown", in: theme("bad\(place)")))
        }
    }

    func testANameIsNoPath() throws {
        try write("[Icon Theme]\nDirectories=a\n[a]\nSize=48\n", to: "shared/Mine/index.theme")
        try put("shared/Mine/secret.svg")
        try put("shared/Mine/a/.hidden.svg")
        try FileManager.default.createDirectory(
            at: root.appending(path: "shared/Mine/a/folder.svg"), withIntermediateDirectories: true)
        let path = root.appending(path: "shared/Mine/secret").path
        for name in [
            "../secret", path, "..", ".", "", ".hidden", "folder", "a\0b", String(repeating: "x", count: 5000),
        ] {
            XCTAssertNil(found(name), name)
            _ = IconTheme(name: name)
        }
        // A path is for the entry of an installed app.
        let app = InstalledApp(
            id: "org.example.app", name: "App", iconName: "\(path).svg", ports: [], isDBusActivatable: false,
            entryPath: "")
        XCTAssertNotNil(app.icon(in: theme()))
    }

    func testOnlyFilesOfBoundedSizeAreRead() throws {
        try write("[Icon Theme]\nDirectories=a\n[a]\nSize=48\n", to: "shared/Mine/index.theme")
        try put("shared/Mine/a/synth.svg")
        // A pipe without a writer keeps nobody waiting.
        XCTAssertEqual(unsafe mkfifo(root.appending(path: "shared/Mine/a/pipe.svg").path, 0o600), 0)
        XCTAssertNil(found("pipe"))
        for (name, target) in [("zero", "/dev/zero"), ("loop", "loop.svg"), ("other", "synth.svg")] {
            try FileManager.default.createSymbolicLink(
                atPath: root.appending(path: "shared/Mine/a/\(name).svg").path, withDestinationPath: target)
        }
        XCTAssertNil(found("zero"))
        XCTAssertNil(found("loop"))
        XCTAssertEqual(found("other"), "shared/Mine/a/synth.svg")
        try write("<svg>" + String(repeating: " ", count: IconImage.largestFile), to: "shared/Mine/a/large.svg")
        XCTAssertNil(found("large"))
    }

    func testWhichPicturesAreTaken() {
        XCTAssertEqual(IconImage(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8))?.format, .svg)
        for bytes in [
            [], Array("root:x:0:0".utf8), [0xFF, 0xD8, 0xFF], Array("<svg>".utf8) + [0xFF],
            Array("<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>&a;</svg>".utf8),
        ] {
            XCTAssertNil(IconImage(bytes))
        }
    }

    func testTheUsersThemeIsWhatTheyChose() throws {
        func name(_ setting: DesktopSetting? = nil, isKDE: Bool = false) -> String {
            UserIconTheme.name(setting: setting, configuration: root.path, isKDE: isKDE)
        }
        let chosen = DesktopSetting(value: "Chosen", isChosen: true)
        let standard = DesktopSetting(value: "Standard", isChosen: false)
        XCTAssertEqual(name(), "hicolor")
        XCTAssertEqual(name(isKDE: true), "breeze")
        XCTAssertEqual(name(chosen), "Chosen")
        XCTAssertEqual(name(DesktopSetting(value: "../x", isChosen: true)), "hicolor")
        try write("[Colors]\nTheme=no\nA[$e]=x\n[Icons]\nThemes=no\nTheme = Plasma\n", to: "kdeglobals")
        XCTAssertEqual(name(), "Plasma")
        XCTAssertEqual(name(standard), "Standard")
        XCTAssertEqual(name(chosen, isKDE: true), "Plasma")
        try write("[Settings]\ngtk-icon-theme-name=GTK\n", to: "gtk-3.0/settings.ini")
        XCTAssertEqual(name(standard), "GTK")
        XCTAssertEqual(name(chosen), "Chosen")
        // A setting that is not installed ends no program.
        XCTAssertNil(DesktopSetting(key: "icon-theme", schema: "org.example.none"))
        XCTAssertNil(DesktopSetting(key: "none", schema: "org.gnome.desktop.interface"))
        XCTAssertNil(DesktopSetting(key: "enable-animations", schema: "org.gnome.desktop.interface"))
        XCTAssertTrue(IconTheme.isName(UserIconTheme.name))
    }
}
