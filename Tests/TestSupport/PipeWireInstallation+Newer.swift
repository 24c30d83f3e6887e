// SPDX-License-Identifier: MIT
import Foundation
package import PipeBusTesting
import XCTest

extension PipeWireInstallation {
    /// The PipeWire that Scripts/fetch-pipewire-1.4.sh unpacked.
    package static func newer() throws -> PipeWireInstallation {
        let package = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        let installation = PipeWireInstallation(root: package.appending(path: ".build/pipewire-1.4").path)
        try XCTSkipUnless(
            installation.isPresent,
            "PipeWire 1.4 is not here; run Scripts/fetch-pipewire-1.4.sh to try PipeBus with it.")
        return installation
    }
}
