// SPDX-License-Identifier: MIT
import RealtimeKit

/// Owns the memory of a ``FormatConverter``. A class that is only kept alive: the audio thread does not touch it.
@safe final class ConverterMemory: @unchecked Sendable {
    // @unchecked: nothing in it changes, and what the views lead to has one user.
    let resampler: ResamplerMemory?
    /// Rows for a piece of each signal, of each of the app's channels, or nothing.
    let rows: Rows
    /// A row for a piece of the mean.
    let mean: Rows
    /// A table for the rows of the app's channels.
    let channels: Cells<UnsafeMutablePointer<Float>?>

    private let samples: OwnedCells<Float>
    private let addresses: OwnedCells<UnsafeMutablePointer<Float>?>
    private let table: OwnedCells<UnsafeMutablePointer<Float>?>

    init(rowCount: Int, clientChannelCount: Int, resampler: ResamplerMemory?) {
        self.resampler = resampler
        let piece = FormatConverter.piece
        let samples = OwnedCells<Float>(repeating: 0, count: (rowCount + 1) * piece, alignment: 64)
        let cells = samples.cells
        self.samples = samples
        let addresses = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: rowCount + 1) {
            unsafe cells.pointer(at: $0 * piece)
        }
        unsafe mean = unsafe Rows(addresses.cells.pointer(at: 0))
        unsafe rows = unsafe Rows(addresses.cells.pointer(at: 0)) + 1
        unsafe self.addresses = unsafe addresses
        let table = unsafe OwnedCells<UnsafeMutablePointer<Float>?>(count: clientChannelCount) { _ in nil }
        unsafe channels = unsafe table.cells
        unsafe self.table = unsafe table
    }
}
