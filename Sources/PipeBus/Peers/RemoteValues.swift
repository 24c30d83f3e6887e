// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The values that another client shares, and its answer to a request. Pure.
///
/// They are kept within ``MetadataLimits``, which the other client may exceed: values beyond are left out.
struct RemoteValues {
    /// The owner's answer to a request.
    enum Answer: Sendable, Equatable {
        /// The owner has set the value, whatever others have requested since.
        case taken
        case refused(because: String)
        /// The owner has published nothing about it.
        case none
    }

    /// The answer to the last request.
    private(set) var answer = Answer.none
    private var store = MetadataStore()
    private var request: (key: String, value: String)?
    /// The word by which the last press of a trigger is answered; `nil` after any other request.
    private var word: String?

    subscript(key: String) -> String? { store.entries[key]?.value }

    /// All values, by their keys.
    var texts: [String: String] { store.entries.mapValues(\.value) }

    /// The number of values.
    var count: Int { store.entries.count }

    /// The size of keys, types and values, in bytes.
    var size: Int { store.size }

    /// Takes note of a request. What the owner published before is no answer to it.
    ///
    /// - Parameter word: of a press, which has an answer of its own among ``PressAnswers``.
    mutating func requested(_ key: String, _ value: String, word: String? = nil) {
        request = (key, value)
        self.word = word
        answer = .none
    }

    /// Takes note of a value that the owner has published or removed.
    mutating func received(_ property: BoundMetadata.Property) {
        guard let key = property.key else {
            store = MetadataStore()
            return
        }
        // A value that cannot be kept is out of date in any case.
        store.remove(key)
        guard let value = property.value else { return }
        let entry = MetadataStore.Entry(type: property.type ?? "", value: value)
        do throws(PipeWireError) { try store.check(key, entry) } catch { return }
        store.set(key, entry)
        answer(with: key, value)
    }

    private mutating func answer(with key: String, _ value: String) {
        guard let request, answer == .none else { return }
        if let word {
            // Others press the same trigger: the key itself may have the value of another press.
            if key == PressAnswers.key { answer = PressAnswers.answer(to: word, in: value) ?? .none }
            return
        }
        if key == request.key, value == request.value { answer = .taken }
        if key == SharedState.refusalKey, let reason = refusal(of: request.key) { answer = .refused(because: reason) }
    }

    /// The reason why a request for a key was refused, if it was the last refused request.
    func refusal(of key: String) -> String? {
        guard let text = self[SharedState.refusalKey], text.hasPrefix("\(key): ") else { return nil }
        return String(text.dropFirst(key.count + 2))
    }

    /// The levels at a receiver. Values that are no levels are skipped.
    func levels(at receiver: String) -> [GraphPort.ID: Source.Level] {
        var levels: [GraphPort.ID: Source.Level] = [:]
        for (text, entry) in store.entries {
            guard let key = LevelKey(text), key.receiver == receiver else { continue }
            _ = key.part.set(&levels[key.source, default: Source.Level()], to: entry.value)
        }
        return levels
    }
}
