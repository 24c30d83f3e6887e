// SPDX-License-Identifier: MIT

/// The channels of one of the client's ports, by their global ids, in the order in which they were added.
struct PortChannels {
    let inputs: [UInt32]
    let outputs: [UInt32]
    /// Number of channels of a lane.
    let laneWidth: Int

    var all: Set<UInt32> { Set(inputs + outputs) }

    /// The place of an input, by its global id; `nil` if it is not this port's.
    func place(ofInput id: UInt32) -> PortLinks.Place? { inputs.firstIndex(of: id).flatMap { place(ofInputAt: $0) } }

    /// The place of an input, by its index; `nil` if there is no such input.
    func place(ofInputAt index: Int) -> PortLinks.Place? {
        guard inputs.indices.contains(index), laneWidth > 0 else { return nil }
        return PortLinks.Place(lane: index / laneWidth, channel: index % laneWidth)
    }

    /// The global id of the input at a place.
    ///
    /// - Precondition: the place is within the port.
    func input(at place: PortLinks.Place) -> UInt32 { inputs[place.lane * laneWidth + place.channel] }
}
