// SPDX-License-Identifier: MIT
import AudioKernels
import ConnectionGraph

/// The control side's state of one lane of a receiver: its present or last source. A plain value.
struct ControlLane {
    var linkSummary: LaneTable.LinkSummary?
    /// Incremented with every source that is connected.
    var sourceGeneration: UInt64 = 0
    /// The source that stands for the lane: of several, the first.
    var source: UInt64 = 0
    var isLeaving = false
    var identity: Source.Identity?
    var channelCount = 0
    /// The age of the sound on arrival, in frames.
    var latency = 0...0
    var level = Source.Level()
    /// Whether the source was reported to the app as too old to be aligned.
    var isReportedUnaligned = false
    /// The app's value for the source.
    var context: (any Sendable)?
    /// The app's number for the source, which the process block can read.
    var tag: UInt64 = 0
    /// The source before the present one.
    var previousSource: UInt64 = 0
    var previousIdentity: Source.Identity?

    /// Whether the source is silent until another one leaves in exchange for it, or was exchanged for another one.
    var isHeld = false

    /// Whether the source's sound comes from the app itself, which does not allow it. Then it is not heard.
    var isBlocked = false

    /// Whether the sound may come from the filter whose auxiliary input this is. Then it is not aligned.
    var isReturning = false

    /// Whether the source hangs and was disconnected until it answers. The lane stays as it was, and is silent.
    var isStalled = false

    /// The app's values for the source, if it has set any.
    var values: (identity: Source.Identity, values: SourceValues)? {
        guard let identity, isLinked, context != nil || tag != 0 else { return nil }
        return (identity, SourceValues(context: context, tag: tag))
    }

    var isLinked: Bool { linkSummary != nil }
    var isHeard: Bool { isLinked && !isBlocked }

    /// Updates the lane to its present links.
    ///
    /// - Parameters:
    ///   - arrival: age of the sound on the linked channels on arrival, in frames.
    ///   - facts: looks up a source by its serial.
    ///   - channelCount: of the source, from its number of outputs.
    ///   - level: looks up the remembered mix level of a source.
    mutating func update(
        to linkSummary: LaneTable.LinkSummary, arrival: ClosedRange<Int>,
        facts: (UInt64) -> GraphReducer.SourceFacts?, channelCount: (_ outputs: Int) -> Int,
        level: (Source.Identity) -> Source.Level
    ) {
        if isLinked, linkSummary.sources.contains(source) {
            self.linkSummary = linkSummary
        } else {
            self = ControlLane(
                linkSummary: linkSummary, sourceGeneration: sourceGeneration + 1, source: linkSummary.sources[0],
                previousSource: source, previousIdentity: identity, isBlocked: isBlocked)
        }
        latency = arrival
        // The properties of a source may come a moment after its links.
        let facts = facts(source)
        self.channelCount = channelCount(facts?.outputCount ?? 0)
        guard let facts else { return }
        let identity = Source.Identity(applicationID: facts.applicationID, nodeName: facts.nodeName)
        if identity != self.identity {
            self.identity = identity
            self.level = level(identity)
        }
    }

    /// The source is disconnected.
    mutating func clear() {
        linkSummary = nil
        isLeaving = false
        isStalled = false
        context = nil
        tag = 0
    }

    /// The gains of the left and the right side of a mix.
    ///
    /// - Parameters:
    ///   - width: channels of the lane. A mix without two sides has no pan.
    ///   - isAnySoloed: whether only soloed sources are heard.
    func gains(width: Int, panLaw: PanLaw, isAnySoloed: Bool) -> (left: Double, right: Double) {
        guard !level.isMuted, level.isSoloed || !isAnySoloed else { return (0, 0) }
        guard width == 2 else { return (level.volume, level.volume) }
        let sides = (channelCount == 1 ? panLaw : .balance).gains(pan: level.pan)
        return (level.volume * sides.left, level.volume * sides.right)
    }
}
