// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc
import Synchronization

/// A PipeWire daemon inside this process that runs one graph cycle when it is told to, and returns when every client has
/// finished it: time that is exact, as fast as the clients are, and stands still in between.
///
/// Clients, in this process or in others, connect to it as to any daemon. What they asked for has to have been answered
/// before the next step (`BusClient`'s calls return no sooner); what the daemon sends them is waited for here.
///
/// - Thread: any; calls wait for each other, on threads of their own.
package final class GraphStepper: Sendable {
    /// Frames that a cycle can have.
    package static let frameCounts = Int(PBPW_STEPPER_MIN_FRAMES)...Int(PBPW_STEPPER_MAX_FRAMES)

    /// Where clients connect to: the absolute path of the socket.
    package let remote: String
    package let directory: String
    private let leash: ChildProcess
    private let stepper: Mutex<Handle>

    @safe private struct Handle: @unchecked Sendable {
        // @unchecked: the stepper belongs to one thread at a time, and the mutex sees to that.
        var pointer: OpaquePointer?
    }

    /// Starts a daemon.
    ///
    /// - Parameter quantum: what the daemon works with where it needs a number; each step has its own.
    package static func start(sampleRate: Int = 48_000, quantum: Int = 1024) async throws -> GraphStepper {
        try await OffPool.run { try GraphStepper(sampleRate: sampleRate, quantum: quantum) }
    }

    private init(sampleRate: Int, quantum: Int) throws {
        directory = try PrivateDirectory.make()
        remote = "\(directory)/pipewire-0"
        leash = try Leash.start(directory: directory, limit: .seconds(86_400))
        var error: Int32 = 0
        let made = unsafe pbpw_stepper_create(remote, UInt32(sampleRate), UInt32(quantum), &error)
        stepper = unsafe Mutex(Handle(pointer: made))
        guard unsafe made != nil else {
            throw TestKitError("The stepper did not start: \(Self.words(for: error)).")
        }
    }

    deinit { end() }

    // MARK: Stepping

    /// Runs cycles of `frames` frames.
    ///
    /// - Parameter timeout: how long one cycle may take.
    /// - Throws: ``TestKitError`` if a client did not finish one, or if it had another length than asked for.
    package func step(_ frames: Int, cycles: Int = 1, timeout: Duration = .seconds(5)) async throws {
        try unsafe await call("run a cycle of \(frames) frames") { pointer in
            for _ in 0..<cycles {
                let result = unsafe pbpw_stepper_step(pointer, UInt32(frames), Int32(timeout / .milliseconds(1)))
                if result < 0 { return result }
            }
            return 0
        }
    }

    /// Runs cycles of different lengths.
    package func step(_ frameCounts: [Int], timeout: Duration = .seconds(5)) async throws {
        try unsafe await call("run a cycle of \(frameCounts)") { pointer in
            for frames in frameCounts {
                let result = unsafe pbpw_stepper_step(pointer, UInt32(frames), Int32(timeout / .milliseconds(1)))
                if result < 0 { return result }
            }
            return 0
        }
    }

    /// Waits until the daemon has nothing left to do and every client has taken in what it was sent.
    package func settle(timeout: Duration = .seconds(5)) async throws {
        try unsafe await call("settle") { unsafe pbpw_stepper_settle($0, Int32(timeout / .milliseconds(1))) }
    }

    /// The position of the next cycle's first frame.
    package var position: UInt64 {
        get async {
            await OffPool.run { [self] in
                stepper.withLock { unsafe $0.pointer.map { unsafe pbpw_stepper_position($0) } ?? 0 }
            }
        }
    }

    private func call(_ what: String, _ body: @escaping @Sendable (OpaquePointer) -> Int32) async throws {
        try await OffPool.run { [self] in
            let result = stepper.withLock { handle in unsafe handle.pointer.map { unsafe body($0) } ?? -ESHUTDOWN }
            guard result < 0 else { return }
            throw TestKitError("The stepper could not \(what): \(Self.words(for: result)).")
        }
    }

    private static func words(for result: Int32) -> String {
        switch -result {
        case ETIMEDOUT: "a client did not finish in time"
        case EPROTO: "somebody forced another number of frames"
        case ESHUTDOWN: "it is closed"
        default: unsafe strerror(-result).map { unsafe String(cString: $0) } ?? "error \(-result)"
        }
    }

    // MARK: Clients and end

    /// What a client in a process of its own needs in its environment to find this daemon and no other.
    package func environment(client installation: PipeWireInstallation = .system) -> [String: String] {
        ChildEnvironment.isolated(runtimeDirectory: directory, remote: remote, installation: installation)
    }

    /// Ends the daemon; its clients see the connection break. Idempotent.
    package func close() async throws {
        await OffPool.run { [self] in end() }
        leash.closeInput()
        try await leash.waitForEnd()
    }

    private func end() {
        stepper.withLock { handle in
            unsafe pbpw_stepper_destroy(handle.pointer)
            unsafe handle.pointer = nil
        }
    }
}
