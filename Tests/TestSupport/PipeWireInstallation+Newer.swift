// SPDX-License-Identifier: MIT
import Foundation
package import PipeBusTesting
import XCTest

extension PipeWireInstallation {
    /// The place of the PipeWire that Scripts/fetch-pipewire-1.4.sh unpacks.
    private static var unpacked: PipeWireInstallation {
        let package = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        return PipeWireInstallation(root: package.appending(path: ".build/pipewire-1.4").path)
    }

    private static let absence =
        "PipeWire 1.4 is not here; run Scripts/fetch-pipewire-1.4.sh to try PipeBus with it."

    /// The PipeWire that Scripts/fetch-pipewire-1.4.sh unpacked. A test that calls this is skipped without it.
    package static func newer() throws -> PipeWireInstallation {
        try XCTSkipUnless(unpacked.isPresent, absence)
        return unpacked
    }

    /// The system's PipeWire, and the newer one if it was unpacked. Scripts/test-versions.sh chooses one of them.
    package static var all: [PipeWireInstallation] {
        guard chosen == .system else { return [chosen] }
        guard unpacked.isPresent else {
            print(absence)
            return [.system]
        }
        return [.system, unpacked]
    }
}
