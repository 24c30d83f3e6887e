// SPDX-License-Identifier: MIT
import PipeBus

/// A row of a table: the same for both views.
struct WatchRow: Sendable {
    /// What a row stands for: it stays selected by this, wherever it goes.
    enum ID: Hashable, Sendable {
        /// The keys of its ports.
        case pipeline([String])
        case app(Int)
        case port(String)
        case feed(source: String, destination: String)
        case note(String)
    }

    var id: ID
    var name = StyledText()
    /// The source whose sound is measured.
    var metered: GraphPort.ID?
    var level: Source.Level?
    /// In milliseconds.
    var latency: Double?
    var figures: WatchData.Figures?
    /// Why a source is not heard, or others are not: muted, solo, does not answer. No figure and no other note is shown in their
    /// place.
    var alerts: [StyledText] = []
    /// What a person must not miss, such as that a filter is bypassed.
    var notes: [StyledText] = []
    /// What else there is to say. It stands behind the notes, and may be cut.
    var details: [StyledText] = []
    /// The connections that it stands for, upstream first. The level is that at the last one.
    var edges: [WatchEdge] = []
    /// The filters that it stands for.
    var filters: [GraphPort.ID] = []
    /// The port that sound leaves from, to be connected.
    var outlet: GraphPort.ID?

    /// In the order in which they are shown.
    var allNotes: [StyledText] { alerts + notes + details }

    var isSelectable: Bool {
        switch id {
        case .app, .note: false
        default: true
        }
    }
}
