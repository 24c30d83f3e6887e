// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Follows the data of one app for one reader. Confined to the loop.
final class DataWatch: PeerWatch {
    let queue = DataChangeQueue()
    private let side: PipeWireConnection
    /// The objects that the app has now, by key. Throws once the app is gone.
    private let present: () throws -> [String: GraphReducer.MetadataObject]
    /// The objects by key, and what of each the reader knows.
    private var objects: [String: Followed] = [:]

    private struct Followed {
        let object: GraphReducer.MetadataObject
        let metadata: BoundMetadata
        /// The text of the last value; `nil` before the first.
        var text: String?
    }

    init(over side: PipeWireConnection, _ present: @escaping () throws -> [String: GraphReducer.MetadataObject]) {
        self.side = side
        self.present = present
    }

    func update(canBind: Bool) -> Bool {
        let present = try? present()
        // An app that is gone has no data any more.
        forget(allBut: present ?? [:])
        if canBind, let present { follow(present) }
        return present != nil
    }

    private func forget(allBut present: [String: GraphReducer.MetadataObject]) {
        for (key, object) in objects where present[key] != object.object {
            object.metadata.close()
            objects[key] = nil
            if object.text != nil { queue.add(.removed, key, nil) }
        }
    }

    private func follow(_ present: [String: GraphReducer.MetadataObject]) {
        for (key, object) in present where objects[key] == nil {
            guard let metadata = try? BoundMetadata(on: side, id: object.id) else { continue }
            metadata.onProperty = { [unowned self] property in received(property, forKey: key) }
            objects[key] = Followed(object: object, metadata: metadata, text: nil)
        }
    }

    private func received(_ property: BoundMetadata.Property, forKey key: String) {
        // A property may be reported twice, and another value is none of ours.
        guard property.key == PublishedData.valueKey, let text = property.value, let object = objects[key],
            text != object.text, text.utf8.count <= Base64.length(ofBytes: PublishedData.longestValue),
            let bytes = Base64.bytes(text)
        else { return }
        objects[key]?.text = text
        queue.add(object.text == nil ? .added : .replaced, key, bytes)
    }

    func close() {
        for object in objects.values { object.metadata.close() }
        objects = [:]
        queue.finish()
    }
}
