// SPDX-License-Identifier: MIT
import CAudioConversion
import RealtimeKit

/// Owns the memory of a ``Resampler``. A class that is only kept alive: the audio thread does not touch it.
@safe final class ResamplerMemory: @unchecked Sendable {
    // @unchecked: nothing in it changes, and the core has one user.
    let core: Cell<ResamplerCore>
    private let owner: OwnedCells<ResamplerCore>
    private let state: OpaquePointer
    private let samples: OwnedCells<Float>
    private let planes: OwnedCells<UnsafeMutableRawPointer>

    init(channelCount: Int, ratio: Double, deviation: Double, quality: Resampler.Quality) {
        precondition((1...64).contains(channelCount), "1 to 64 channels")
        let ratio = ResamplerCore.bounded(ratio)
        precondition((0...0.5).contains(deviation), "a deviation of 0 to 0.5")
        cac_prepare()
        let kind = quality == .best ? cac_best : cac_medium
        guard let state = unsafe cac_resampler_create(kind, UInt32(channelCount), ratio) else {
            fatalError("no memory for a resampler")
        }
        unsafe self.state = unsafe state
        let minimumRatio = ratio * (1 - deviation)
        let reach = unsafe FilterReach(measuring: state, channelCount: channelCount, minimumRatio: minimumRatio)
        unsafe cac_resampler_reset(state, ratio)

        let length = channelCount == 1 ? 1 : channelCount * ResamplerCore.piece
        let samples = OwnedCells<Float>(repeating: 0, count: 2 * length, alignment: 64)
        let cells = samples.cells
        self.samples = samples
        let planes = unsafe OwnedCells(count: 2) { unsafe UnsafeMutableRawPointer(cells.pointer(at: $0 * length)) }
        let addresses = unsafe planes.cells
        unsafe self.planes = unsafe planes
        owner = unsafe OwnedCells(
            ResamplerCore(
                channelCount: channelCount, ratio: ratio, deviation: deviation, state: state,
                input: addresses.pointer(at: 0), output: addresses.pointer(at: 1), reach: reach))
        core = owner.cell
    }

    deinit { unsafe cac_resampler_destroy(state) }
}
