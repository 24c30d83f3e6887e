// SPDX-License-Identifier: MIT

/// A trigger that the app has added. Confined to the loop.
final class DeclaredTrigger {
    let local: LocalTrigger
    /// Its place in the order in which triggers were added.
    let place: Int
    private var state: TriggerState
    private var face: TriggerFace
    private var faces: [TriggerState: TriggerFace] = [:]
    private let presses: AsyncStream<TriggerPress>.Continuation

    /// Presses that wait for the app. It is told no more of them at once.
    static let queueLength = 16

    init(
        _ local: LocalTrigger, place: Int, state: TriggerState, face: TriggerFace,
        presses: AsyncStream<TriggerPress>.Continuation
    ) {
        self.local = local
        self.place = place
        self.state = state
        self.face = face
        self.presses = presses
    }

    var trigger: Trigger { Trigger(id: local.id, kind: local.kind, state: state, face: faces[state] ?? face) }

    func setState(_ state: TriggerState) { self.state = state }

    func setFace(_ face: TriggerFace, in state: TriggerState?) throws {
        try face.check()
        if let state { faces[state] = face } else { self.face = face }
    }

    /// - Returns: whether the app gets the press. Otherwise too many wait for it.
    func press(_ press: TriggerPress) -> Bool {
        if case .enqueued = presses.yield(press) { true } else { false }
    }

    func end() { presses.finish() }
}
