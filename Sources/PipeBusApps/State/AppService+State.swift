// SPDX-License-Identifier: MIT
import DesktopSupport
import PipeBus

extension AppService {
    /// Gives the app's state to whoever saves a routing with it, and takes it from whoever loads one.
    ///
    /// ```swift
    /// try await service.keepState {
    ///     AppState(type: "org.example.synth.patch", bytes: await synth.patch)
    /// } load: { state, routing in
    ///     guard state.type == "org.example.synth.patch" else { throw PipeBusError(.invalidArgument, "That is no patch.") }
    ///     return await synth.load(state.bytes)  // a message for the user, or nil
    /// }
    /// ```
    ///
    /// Only the process that has the app's name is asked; see ``hasName``.
    ///
    /// - Parameters:
    ///   - save: gives the state, within ``AppState/timeLimit``.
    ///   - load: takes a state that this app gave, perhaps in an older version of it, and the name of the routing. It returns a message for the
    ///     user, or `nil`. An error that it throws is told to who loads.
    /// - Throws: ``PipeBusError`` `noSessionBus`; `closed` after ``stop()``; `duplicateName` if the app keeps its state already.
    public func keepState(
        save: @escaping @Sendable () async throws -> AppState,
        load: @escaping @Sendable (AppState, String?) async throws -> String?
    ) async throws {
        let keeper = AppStateKeeper(save: save, load: load)
        do {
            try await export(
                AppStateKeeper.interface, properties: ["Version": .uint32(AppStateKeeper.version)]
            ) { call in Task { await keeper.answer(call) } }
        } catch let error as DBusError {
            throw PipeBusError(
                .duplicateName, "The app's state cannot be kept (\(error.reason)); it may be kept already.")
        }
    }
}
