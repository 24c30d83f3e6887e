// SPDX-License-Identifier: MIT
import CPipeWireTesting
import Glibc
import Synchronization

/// A PipeWire daemon inside this process that runs one graph cycle per call, and returns when every client has finished
/// it.
///
/// Its time is exact: it goes as fast as the clients do, and stands still in between.
///
/// Clients, in this process or in others, connect to it as to any daemon. Their requests must be answered before the
/// next step, which is when `BusClient`'s calls return. A step waits until the clients have received all messages of
/// the daemon.
///
/// - Thread: any. Calls are serialized, on threads of their own.
package final class GraphStepper: Sendable {
    /// The range of a cycle's length, in frames.
    package static let frameCounts = Int(PBPW_STEPPER_MIN_FRAMES)...Int(PBPW_STEPPER_MAX_FRAMES)

    /// The address for clients: the absolute path of the socket.
    package let remote: String
    package let directory: String
    private let processGuard: ChildProcess
    private let stepper: Mutex<Handle>

    @safe private struct Handle: @unchecked Sendable {
        // @unchecked: the stepper belongs to one thread at a time, which the mutex ensures.
        var pointer: OpaquePointer?
    }

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - quantum: the daemon's quantum in frames, where it needs one; each step has its own length.
    ///   - freewheels: whether the clients are told that the graph freewheels: that its time is not theirs, so that no client takes another one
    ///     for late.
    package static func start(
        sampleRate: Int = 48_000, quantum: Int = 1024, freewheels: Bool = false
    ) async throws -> GraphStepper {
        try await BlockingThread.run {
            try GraphStepper(sampleRate: sampleRate, quantum: quantum, freewheels: freewheels)
        }
    }

    private init(sampleRate: Int, quantum: Int, freewheels: Bool) throws {
        directory = try PrivateDirectory.make()
        remote = "\(directory)/pipewire-0"
        processGuard = try ProcessGuard.start(directory: directory, limit: .seconds(86_400))
        var error: Int32 = 0
        let made = unsafe pbpw_stepper_create(remote, UInt32(sampleRate), UInt32(quantum), &error)
        stepper = unsafe Mutex(Handle(pointer: made))
        guard unsafe made != nil else {
            throw TestKitError("The stepper did not start: \(Self.words(for: error)).")
        }
        unsafe pbpw_stepper_set_freewheeling(made, freewheels)
    }

    deinit { end() }

    // MARK: Stepping

    /// Runs cycles of `frames` frames.
    ///
    /// - Parameter timeout: time limit for one cycle.
    /// - Throws: ``TestKitError`` if a client did not finish a cycle, or if a cycle had another length.
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

    /// Waits until the daemon and all clients are idle: no message is under way.
    package func settle(timeout: Duration = .seconds(5)) async throws {
        try unsafe await call("settle") { unsafe pbpw_stepper_settle($0, Int32(timeout / .milliseconds(1))) }
    }

    /// The position of the next cycle's first frame.
    package var position: UInt64 {
        get async {
            await BlockingThread.run { [self] in
                stepper.withLock { unsafe $0.pointer.map { unsafe pbpw_stepper_position($0) } ?? 0 }
            }
        }
    }

    /// Moves the clock between two cycles, as a device does that stood still, or that was restarted.
    ///
    /// - Parameters:
    ///   - position: the position of the next cycle; by default it is not changed.
    ///   - time: the time between the last cycle's end and the next cycle.
    package func moveClock(to position: UInt64? = nil, after time: Duration) async {
        await BlockingThread.run { [self] in
            stepper.withLock { handle in
                guard let pointer = unsafe handle.pointer else { return }
                let position = unsafe position ?? pbpw_stepper_position(pointer)
                unsafe pbpw_stepper_move_clock(pointer, position, UInt64(time / .nanoseconds(1)))
            }
        }
    }

    /// Another clock from the next cycle on, as when another device takes over.
    ///
    /// - Parameter id: the clock's; 0 is that of the stepper's own driver.
    package func setClock(_ id: UInt32, sampleRate: Int) async {
        await BlockingThread.run { [self] in
            stepper.withLock { handle in
                if let pointer = unsafe handle.pointer {
                    unsafe pbpw_stepper_set_clock(pointer, id, UInt32(sampleRate))
                }
            }
        }
    }

    private func call(_ what: String, _ body: @escaping @Sendable (OpaquePointer) -> Int32) async throws {
        try await BlockingThread.run { [self] in
            let result = stepper.withLock { handle in unsafe handle.pointer.map { unsafe body($0) } ?? -ESHUTDOWN }
            guard result < 0 else { return }
            throw TestKitError("The stepper could not \(what): \(Self.words(for: result)).")
        }
    }

    private static func words(for result: Int32) -> String {
        switch -result {
        case ETIMEDOUT: "a client did not finish in time"
        case EPROTO: "a client forced another number of frames"
        case ESHUTDOWN: "it is closed"
        default: unsafe strerror(-result).map { unsafe String(cString: $0) } ?? "error \(-result)"
        }
    }

    // MARK: Clients and end

    /// The environment with which a client in a process of its own finds this daemon and no other.
    package func environment(client installation: PipeWireInstallation = .system) -> [String: String] {
        ChildEnvironment.isolated(runtimeDirectory: directory, remote: remote, installation: installation)
    }

    /// Ends the daemon. Its clients lose the connection. Idempotent.
    package func close() async throws {
        await BlockingThread.run { [self] in end() }
        processGuard.closeInput()
        try await processGuard.waitForEnd()
    }

    private func end() {
        stepper.withLock { handle in
            unsafe pbpw_stepper_destroy(handle.pointer)
            unsafe handle.pointer = nil
        }
    }
}
