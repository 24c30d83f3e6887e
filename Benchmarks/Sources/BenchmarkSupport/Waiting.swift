// SPDX-License-Identifier: MIT
import Dispatch
import Glibc

/// Runs an asynchronous operation while this thread waits. If it throws, the program ends.
@discardableResult
public func waiting<Value: Sendable>(for operation: @escaping @Sendable () async throws -> Value) -> Value {
    nonisolated(unsafe) var result: Result<Value, any Error>?
    let done = DispatchSemaphore(value: 0)
    Task {
        do {
            unsafe result = .success(try await operation())
        } catch {
            unsafe result = .failure(error)
        }
        done.signal()
    }
    done.wait()
    switch unsafe result {
    case .success(let value): return value
    case .failure(let error): fail("\(CommandLine.arguments[0]): \(error)", status: 1)
    case nil: preconditionFailure("the operation ended without a result")
    }
}

/// Ends the program with a message.
public func fail(_ message: String, status: Int32) -> Never {
    let line = message + "\n"
    _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
    exit(status)
}
