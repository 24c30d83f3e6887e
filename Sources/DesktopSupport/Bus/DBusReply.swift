// SPDX-License-Identifier: MIT
import Glibc

/// The values of a message, with the descriptors that came along. They are closed with the object.
package final class DBusReply: Sendable {
    package let values: [DBusValue]
    private let descriptors: [Int32]

    /// - Parameter descriptors: taken over.
    package init(values: [DBusValue], descriptors: [Int32]) {
        self.values = values
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// The descriptor that a value of the message stands for; it belongs to this object. `nil` for any other value.
    package func descriptor(_ value: DBusValue) -> Int32? {
        guard case .handle(let place) = value, descriptors.indices.contains(Int(place)) else { return nil }
        return descriptors[Int(place)]
    }
}
