// SPDX-License-Identifier: MIT
import Foundation
import FoundationXML
import PipeBusApps
import XCTest

@testable import PipeBusCommand

/// The icons of apps in pictures of the graph.
final class IconTests: XCTestCase {
    private static let svg = Array(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><rect/></svg>".utf8)

    func testAPictureHasEachIconOnce() throws {
        var diagram = DiagramFixture.everything.diagram()
        diagram.apps = diagram.apps.map {
            var app = $0
            app.icon = app.kind == .app ? "synth" : nil
            return app
        }
        let icon = try XCTUnwrap(IconImage(Self.svg))
        let text = GraphSVG(diagram, icons: ["synth": icon, "another": icon]).text
        XCTAssertTrue(XMLParser(data: Data(text.utf8)).parse())
        XCTAssertEqual(text.components(separatedBy: "<image ").count, 2)
        XCTAssertTrue(text.contains("href=\"data:image/svg+xml;base64,\(Data(Self.svg).base64EncodedString())\""))
        XCTAssertGreaterThan(text.components(separatedBy: "<use href=\"#icon0\"").count, 2)
        XCTAssertFalse(GraphSVG(diagram).text.contains("<image "))
    }
}
