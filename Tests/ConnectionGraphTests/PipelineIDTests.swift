// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The identities of pipelines: what keeps them, and what makes another one.
final class PipelineIDTests: XCTestCase {
    private typealias App = (id: String?, name: String)

    /// A sender and a receiver that are connected, after some other objects.
    private func pipelines(
        from app: App, _ node: String, to other: App = ("org.b", "B"), _ end: String = "in", others: Int = 0,
        twins: Int = 1
    ) -> [Pipeline] {
        var fixture = GraphFixture()
        for number in 0..<others { _ = fixture.client("other \(number)") }
        for _ in 0..<twins {
            let client = fixture.client(app.name, id: app.id)
            let source = fixture.node(node, client: client)
            let output = fixture.port("out", of: source, index: 0, direction: "out")
            let destination = fixture.node(end, client: fixture.client(other.name, id: other.id))
            _ = fixture.link(output, fixture.port("in", of: destination, index: 0, direction: "in"))
        }
        return Array(fixture.snapshot.pipelines)
    }

    /// An id is saved in files: its format must not change. Computed by hand from the documented bytes.
    func testTheFormat() throws {
        var bytes: [UInt8] = []
        func add(_ number: Int) { bytes += [UInt8(number)] + [UInt8](repeating: 0, count: 7) }
        for (kind, app, node) in [(1, "org.a", "out"), (2, "B", "in")] {
            bytes.append(UInt8(kind))
            for text in [app, node] {
                add(text.utf8.count)
                bytes += Array(text.utf8)
            }
            add(0)
        }
        let hash = bytes.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let id = try XCTUnwrap(pipelines(from: ("org.a", "A"), "out", to: (nil, "B")).first?.id)
        XCTAssertEqual(id, Pipeline.ID(hash: hash))
        XCTAssertEqual(id.description, "9b11768624c2e3ef")
        XCTAssertEqual(StableName.hash(of: []), 14_695_981_039_346_656_037)
    }

    func testItSurvivesRestarts() {
        let first = pipelines(from: ("org.a", "A"), "out").map(\.id)
        XCTAssertEqual(pipelines(from: ("org.a", "A"), "out", others: 7).map(\.id), first)
        // A title, or the name of an app that has an id.
        XCTAssertEqual(pipelines(from: ("org.a", "Another name"), "out").map(\.id), first)
    }

    func testOtherNamesMakeAnother() {
        var ids: Set<Pipeline.ID> = []
        let apps: [App] = [("org.a", "A"), ("org.ab", "A"), (nil, "org.a"), (nil, "A")]
        for app in apps { for node in ["out", "bout", ""] { ids.formUnion(pipelines(from: app, node).map(\.id)) } }
        XCTAssertEqual(ids.count, 12)
    }

    func testEqualNamesAreCounted() {
        let one = pipelines(from: ("org.a", "A"), "out")
        let three = pipelines(from: ("org.a", "A"), "out", twins: 3)
        XCTAssertEqual(Set(three.map(\.id)).count, 3)
        XCTAssertEqual(three.first?.id, one.first?.id, "the first one's is that of the only one")
    }

    func testItsText() throws {
        for hash in [0, 1, 0xFEDC_BA98_7654_3210, UInt64.max] {
            let id = Pipeline.ID(hash: hash)
            XCTAssertEqual(id.description.count, 16)
            XCTAssertEqual(Pipeline.ID(id.description), id)
            let data = try JSONEncoder().encode([id])
            XCTAssertEqual(String(decoding: data, as: UTF8.self), "[\"\(id)\"]")
            XCTAssertEqual(try JSONDecoder().decode([Pipeline.ID].self, from: data), [id])
        }
        for text in ["", "0", "+000000000000001", "FEDCBA9876543210", "00000000000000001", "０００００００００００００００１"] {
            XCTAssertNil(Pipeline.ID(text), text)
        }
        XCTAssertThrowsError(try JSONDecoder().decode([Pipeline.ID].self, from: Data("[\"no\"]".utf8)))
    }
}
