// SPDX-License-Identifier: MIT

extension StreamMemory {
    /// Number of cycles for a number of frames: enough for cycles of 32 frames or more.
    static func records(of frames: Int) -> Int { max(frames / 32, 64) }

    static func make(
        for declaration: PortDeclaration, minimumCapacity: Int, records: Int
    ) throws -> StreamMemory {
        try make(
            laneCount: declaration.laneCount, width: declaration.laneWidth, isSeparate: declaration.isSeparate,
            minimumCapacity: minimumCapacity, records: records)
    }

    /// - Throws: ``PipeBusError`` `invalidArgument`.
    static func make(
        laneCount: Int, width: Int, isSeparate: Bool, minimumCapacity: Int, records: Int
    ) throws -> StreamMemory {
        guard (1...(1 << 26)).contains(minimumCapacity) else {
            throw PipeBusError(
                .invalidArgument, "A stream's capacity is 1 to \(1 << 26) frames, not \(minimumCapacity).")
        }
        let lanes = isSeparate ? laneCount : 1
        guard capacity(atLeast: minimumCapacity) * lanes * width <= 1 << 28 else {
            throw PipeBusError(
                .invalidArgument,
                "A stream's lanes hold at most \(1 << 28) samples together, not \(minimumCapacity) × \(lanes) × \(width); "
                    + "use a smaller capacity or fewer lanes.")
        }
        return StreamMemory(
            laneCount: lanes, width: width, isSeparate: isSeparate, capacity: minimumCapacity, records: records)
    }
}
