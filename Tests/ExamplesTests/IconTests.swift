// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import XCTest

@testable import PipeBusApps
@testable import PipeBusCommand

/// The icons of apps in pictures of the graph.
final class IconTests: XCTestCase {
    private static let svg = Array(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><rect/></svg>".utf8)

    func testAPictureHasEachIconOnce() throws {
        let diagram = DiagramFixture.everything.diagram()
        let icon = try XCTUnwrap(IconImage(Self.svg))
        var faces = GraphFaces()
        for client in diagram.apps.flatMap(\.clients) { faces.apps[client] = icon }
        let apps = GraphSVG(diagram, faces: faces).text
        XCTAssertTrue(XMLParser(data: Data(apps.utf8)).parse())
        XCTAssertEqual(apps.components(separatedBy: "<image ").count, 2)
        XCTAssertTrue(apps.contains("href=\"data:image/svg+xml;base64,\(Data(Self.svg).base64EncodedString())\""))
        let used = apps.components(separatedBy: "<use href=\"#icon0\"").count
        XCTAssertGreaterThan(used, 2)
        XCTAssertFalse(GraphSVG(diagram).text.contains("<image "))
        // Ports too, with the same picture or another one.
        let other = try XCTUnwrap(IconImage(Array("<svg/>".utf8)))
        faces.ports[try XCTUnwrap(diagram.ports[0].id)] = icon
        faces.ports[try XCTUnwrap(diagram.ports[1].id)] = other
        let ports = GraphSVG(diagram, faces: faces).text
        XCTAssertTrue(XMLParser(data: Data(ports.utf8)).parse())
        XCTAssertEqual(ports.components(separatedBy: "<image ").count, 3)
        XCTAssertEqual(ports.components(separatedBy: "<use href=\"#icon0\"").count, used + 1)
        XCTAssertEqual(ports.components(separatedBy: "<use href=\"#icon1\"").count, 2)
    }
}
