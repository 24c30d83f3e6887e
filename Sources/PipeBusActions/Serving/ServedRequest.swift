// SPDX-License-Identifier: MIT
import DesktopSupport
import Synchronization

/// A request that came over the session bus: its object, and the task that serves it.
///
/// - Thread: any.
final class ServedRequest: Sendable {
    let sender: String
    let path: String
    private let bus: SessionBus
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let isCancelled = Mutex(false)

    init(from sender: String, at path: String, on bus: SessionBus) {
        (self.sender, self.path, self.bus) = (sender, path, bus)
    }

    /// Begins the work, unless the request was cancelled before.
    func begin(_ work: @escaping @Sendable () async -> Void) {
        let new = Task { await work() }
        task.withLock { $0 = new }
        if isCancelled.withLock({ $0 }) { new.cancel() }
    }

    func cancel() {
        isCancelled.withLock { $0 = true }
        task.withLock { $0 }?.cancel()
    }

    func send(progress fraction: Double) {
        bus.send("Progress", of: ActionProtocol.requestInterface, at: path, to: sender, [.double(fraction)])
    }

    enum End: Sendable {
        case completed([ActionResult])
        case cancelled
        case failed(String)
    }

    func send(_ end: End) {
        switch end {
        case .completed(let results): send(results)
        case .cancelled: send(code: 1, [:])
        case .failed(let message): send(code: 2, ["message": .string(message)])
        }
    }

    private func send(_ results: [ActionResult]) {
        guard results.count <= ActionProtocol.mostDescriptors else {
            let sentence =
                "It has made \(results.count) files, and D-Bus takes at most \(ActionProtocol.mostDescriptors); give it fewer, or run it in a shell."
            return send(code: 2, ["message": .string(sentence)])
        }
        // The caller gets them to read.
        let descriptors = results.compactMap { OwnedDescriptor.reopened($0.file.descriptor) }
        guard descriptors.count == results.count else {
            return send(code: 2, ["message": .string("Too many files are open; close other programs.")])
        }
        let files = results.enumerated().map { place, result in
            DBusValue.tuple([.handle(Int32(place)), .string(result.name), .string(result.type.name)])
        }
        var details: [String: DBusValue] = ["files": .array(of: "(hss)", files)]
        if results.contains(where: { !$0.note.isEmpty }) {
            details["notes"] = .array(of: "s", results.map { .string($0.note) })
        }
        send(code: 0, details, descriptors: descriptors.map(\.number))
        withExtendedLifetime(descriptors) {}
    }

    private func send(code: UInt32, _ details: [String: DBusValue], descriptors: [Int32] = []) {
        bus.send(
            "Response", of: ActionProtocol.requestInterface, at: path, to: sender,
            [.uint32(code), .dictionary(details)], descriptors: descriptors)
        // The process may end soon.
        bus.flush()
    }
}
