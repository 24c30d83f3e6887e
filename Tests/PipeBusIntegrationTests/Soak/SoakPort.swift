// SPDX-License-Identifier: MIT
import PipeBus

/// A port that an app of the soak has. All ports are mono.
struct SoakPort: Sendable, Hashable {
    /// The name of the port's app.
    var app: String
    var name: String
    var kind: PortKind
    /// Whether the app is a `clock-sender`.
    var isForeign = false

    static let lanes = 8

    var nodeName: String { isForeign ? app : "\(app).\(name)" }
    /// The channel that PipeWire's tools link from.
    var output: String { isForeign ? "\(nodeName):out_FL" : "\(nodeName):output_MONO" }

    /// The channel that PipeWire's tools link to.
    func input(lane: Int) -> String {
        kind == .receiver ? "\(nodeName):input_\(lane)_MONO" : "\(nodeName):input_MONO"
    }
}
