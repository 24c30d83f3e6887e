// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus

/// An app for tests: it has the ports that a test requests, line by line on its standard input. It makes and checks
/// test signals with them, and reports the result. It uses PipeBus as any app does.
@main
enum BusPeer {
    static func main() async {
        let session = PeerSession()
        for await line in standardInput() {
            do {
                answer(try await session.perform(try PeerLine.decode(line)))
            } catch let error as PipeBusError {
                answer(.failure(code: error.code.rawValue, message: error.message))
            } catch {
                answer(.failure(code: "bus-peer", message: "\(error)"))
            }
        }
        await session.close()
        answer(.ended(reason: "end of input"))
    }

    /// Reading blocks, so it has a thread of its own.
    private static func standardInput() -> AsyncStream<String> {
        AsyncStream { continuation in
            var thread = pthread_t()
            let box = unsafe Unmanaged.passRetained(Box(continuation)).toOpaque()
            unsafe pthread_create(
                &thread, nil,
                { box in
                    let lines = unsafe Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().continuation
                    while let line = readLine() { lines.yield(line) }
                    lines.finish()
                    return nil
                }, box)
            pthread_detach(thread)
        }
    }

    private final class Box {
        let continuation: AsyncStream<String>.Continuation
        init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }
    }

    static func answer(_ reply: PeerReply) { write((try? PeerLine.encode(reply)) ?? "{}", to: STDOUT_FILENO) }

    /// Writes an event of the client, with its time by CLOCK_MONOTONIC in nanoseconds: `EVENT at TIME`.
    static func note(_ event: String) {
        write("\(event) at \(now)", to: STDERR_FILENO)
    }

    /// CLOCK_MONOTONIC, in nanoseconds.
    static var now: UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// At once and in one piece, and without C's streams: the thread that reads holds a lock that flushing waits for.
    private static func write(_ line: String, to descriptor: Int32) {
        _ = unsafe Array("\(line)\n".utf8).withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
