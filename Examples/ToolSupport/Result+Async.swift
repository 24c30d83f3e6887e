// SPDX-License-Identifier: MIT

extension Result where Failure == any Error {
    /// The result of an operation, to be used after other work.
    package init(of operation: () async throws -> Success) async {
        do {
            self = .success(try await operation())
        } catch {
            self = .failure(error)
        }
    }
}
