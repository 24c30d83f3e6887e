// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime
import RealtimeKit
import Synchronization

/// Owns the audio thread's memory of a filter's tap, and gives the control side access to it.
///
/// It is made when a source of the filter is exchanged for the first time: most filters never need it. The filter and the tap's node
/// hold it.
///
/// - Thread: the client's.
@safe final class InputTapMemory: @unchecked Sendable {
    // @unchecked: as ``PortMemory``. The one thread that processes the filter and the tap uses the core.
    private let owned: OwnedCells<InputTapCore>
    private let samples: OwnedCells<Float>
    private let isGiven: OwnedCells<Bool>
    private let load: OwnedCells<crt_load>
    let call = RealtimeCall.inputTap()
    /// The number of the last exchange.
    private var number = 0

    /// - Parameters:
    ///   - fade: the fade from the tap to the input.
    ///   - silence: a block of zeros of the longest cycle. It must outlive this object.
    init(channelCount: Int, fade: Fade, silence: SampleBlock) {
        cak_prepare()
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: 2 * channelCount))
        isGiven = OwnedCells(repeating: false, count: channelCount)
        load = OwnedCells(crt_load())
        owned = OwnedCells(
            InputTapCore(
                channelCount: channelCount, fadeMicroseconds: fade.microseconds, silence: silence,
                taken: BlockPool(samples.cells), mixed: BlockPool(samples.cells, from: channelCount),
                isGiven: isGiven.cells))
    }

    var core: Cell<InputTapCore> { owned.cell }

    /// For the tap's node.
    var loadPointer: UnsafeMutablePointer<crt_load> { unsafe load.cell.pointer }

    /// Begins an exchange: the filter hears the tap as soon as that has the same sound as the input.
    func begin() {
        number += 1
        core.value.request.store(number << 1, ordering: .releasing)
    }

    /// Lets the filter hear its input again, after a fade. Idempotent.
    func end() { core.value.request.store(number << 1 | 1, ordering: .releasing) }

    /// The state of the last exchange that began.
    var state: InputTapState {
        let progress = core.value.progress.load(ordering: .acquiring)
        guard progress >> 2 == number else { return .input }
        return InputTapState.allCases.first { $0.number == progress & 3 } ?? .input
    }
}
