// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PeerProtocol
import PipeBus
import PipeBusApps
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The faces that apps publish, and those that they name, as a patchbay has them.
final class PublishedIconTests: DaemonTestCase {
    private let noTheme = IconTheme(name: "none", folders: [])

    private func client(_ name: String, iconName: String? = nil, on daemon: HeadlessPipeWire) async throws -> BusClient
    {
        let bus = try await BusClient.connect(
            as: "org.pipebus.\(name.lowercased())", name: name, iconName: iconName, remote: daemon.remote)
        addTeardownBlock { await bus.close() }
        return bus
    }

    private func peer(_ name: String, seenBy bus: BusClient) async throws -> PipeBus.Peer.ID {
        try await eventually("\(name) in the graph") { await bus.graph.peers.contains { $0.name == name } }
        let peers = await bus.graph.peers
        return try XCTUnwrap(peers.first { $0.name == name }?.id)
    }

    func testAppsAndPortsHaveFaces() async throws {
        let daemon = try await startDaemon()
        let app = try await client("Face", on: daemon)
        let port = try await app.sender("out", channels: .mono, state: ()) { _, _, _ in }
        _ = try await app.sender("other", channels: .mono, state: ()) { _, _, _ in }
        let picture = try PNGImage(SamplePicture.png)
        XCTAssertEqual([picture.width, picture.height], [136, 136])
        try await app.publishIcon(picture)
        try await app.publishIcon(picture, ofPort: "out")
        let patchbay = try await client("Patchbay", on: daemon)
        let id = try await peer("Face", seenBy: patchbay)
        try await eventually("both keys") {
            try await patchbay.publishedKeys(of: id) == ["icon.png", "icon/out.png"]
        }
        let read = try await patchbay.publishedIcon(of: id, port: "out")
        XCTAssertEqual(read, picture)
        let none = try await patchbay.publishedIcon(of: id, port: "other")
        XCTAssertNil(none)
        try await eventually("both ports") { await patchbay.graph.ports(of: id).count == 2 }
        let faces = await patchbay.faces(in: await patchbay.graph, theme: noTheme)
        XCTAssertEqual(faces.apps, [id: IconImage(picture)])
        XCTAssertEqual(faces.ports, [try XCTUnwrap(port.graphID): IconImage(picture)])
        XCTAssertEqual(faces.failures, [])
        try await app.unpublishIcon()
        try await app.unpublishIcon()
        try await eventually("one key") { try await patchbay.publishedKeys(of: id) == ["icon/out.png"] }
        for name in ["", "a/b", "a:b", String(repeating: "x", count: 120)] {
            await assertThrows("a bad name", { try await app.publishIcon(picture, ofPort: name) }) { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, "\(error)")
            }
        }
        try await app.publishIcon(picture, ofPort: String(repeating: "x", count: 119))
    }

    func testPicturesThatLieAreLeftOutForThoseOfTheTheme() async throws {
        let daemon = try await startDaemon()
        let app = try await client("Liar", iconName: "violin", on: daemon)
        let port = try await app.sender("out", channels: .mono, state: ()) { _, _, _ in }
        try await port.setIconName("bow")
        try await app.publish(Array(SamplePicture.png.dropLast()), forKey: "icon.png")
        try await app.publish([], forKey: "icon/out.png")
        try await app.publish([1], forKey: "icon/none.png")
        let folder = FileManager.default.temporaryDirectory.appending(path: "faces-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["violin", "bow"] {
            try Data("<svg><!-- \(name) --></svg>".utf8).write(to: folder.appending(path: "\(name).svg"))
        }
        let patchbay = try await client("Patchbay", on: daemon)
        let id = try await peer("Liar", seenBy: patchbay)
        try await eventually("all keys") { try await patchbay.publishedKeys(of: id).count == 3 }
        try await eventually("the port's icon") { await patchbay.graph.ports.first?.iconName == "bow" }
        let faces = await patchbay.faces(
            in: await patchbay.graph, theme: IconTheme(name: "none", folders: [folder.path]))
        XCTAssertEqual(
            faces.apps.mapValues { String(decoding: $0.bytes, as: UTF8.self) }, [id: "<svg><!-- violin --></svg>"])
        XCTAssertEqual(
            faces.ports.values.map { String(decoding: $0.bytes, as: UTF8.self) }, ["<svg><!-- bow --></svg>"])
        XCTAssertEqual(
            faces.failures,
            [
                "The picture of “Liar” is left out. The PNG is damaged: it is cut off. Save it again.",
                "The picture of “Liar.out” is left out. The picture is no PNG: it does not begin as one. Save it in that format.",
            ])
        await assertThrows("a lie", { try await patchbay.publishedIcon(of: id) }) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .notSupported, "\(error)")
        }
    }

    /// Each app that does not answer takes the time limit once, and all of them the same one.
    func testAppsThatDoNotAnswerHoldUpNobody() async throws {
        let daemon = try await startDaemon()
        let picture = try PNGImage(SamplePicture.png)
        let face = try await client("Face", on: daemon)
        _ = try await face.sender("out", channels: .mono, state: ()) { _, _, _ in }
        try await face.publishIcon(picture)
        let hung = try await (0..<4).asyncMap { number in
            let app = try await Peer.start("Hung\(number)", on: daemon)
            try await app.addSender("out", .counting)
            for key in ["icon.png", "icon/out.png"] { try await app.perform(.publish(key: key, count: 9, byte: 1)) }
            return app
        }
        let patchbay = try await client("Patchbay", on: daemon)
        let id = try await peer("Face", seenBy: patchbay)
        for number in 0..<4 {
            let id = try await peer("Hung\(number)", seenBy: patchbay)
            try await eventually("its keys") { try await patchbay.publishedKeys(of: id).count == 2 }
        }
        for app in hung { app.process.signal(SIGSTOP) }
        defer { for app in hung { app.process.signal(SIGCONT) } }
        let faces = await patchbay.faces(in: await patchbay.graph, theme: noTheme, timeout: .seconds(1))
        XCTAssertEqual(faces.apps, [id: IconImage(picture)])
        XCTAssertEqual(faces.failures.count, 4, "one for each, not one for each picture: \(faces.failures)")
        for failure in faces.failures { XCTAssertTrue(failure.contains("does not answer"), failure) }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
