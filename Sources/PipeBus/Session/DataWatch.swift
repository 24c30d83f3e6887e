// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Follows the data of one app for one reader, over a side connection. Confined to the loop.
///
/// An app that hangs holds up the side connection alone.
final class DataWatch {
    let peer: Peer.ID
    let queue = DataChangeQueue()
    let side: PipeWireConnection
    /// The objects by key, and what of each the reader knows.
    private var objects: [String: Followed] = [:]

    private struct Followed {
        let object: GraphReducer.MetadataObject
        let metadata: BoundMetadata
        /// The text of the last value; `nil` before the first.
        var text: String?
    }

    init(of peer: Peer.ID, over side: PipeWireConnection) {
        self.peer = peer
        self.side = side
    }

    /// Follows the objects that there are now.
    ///
    /// - Parameter present: the objects by key.
    func update(to present: [String: GraphReducer.MetadataObject]) {
        for (key, object) in objects where present[key] != object.object {
            object.metadata.close()
            objects[key] = nil
            if object.text != nil { queue.add(.removed, key, nil) }
        }
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
