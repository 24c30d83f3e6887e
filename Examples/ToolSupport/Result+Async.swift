// SPDX-License-Identifier: MIT

extension Result where Failure == any Error {
    /// What an operation came to, to be looked at when other things are done.
    package init(of operation: () async throws -> Success) async {
        do {
            self = .success(try await operation())
        } catch {
            self = .failure(error)
        }
    }
}
