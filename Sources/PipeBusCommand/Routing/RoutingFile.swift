// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import ToolSupport

/// The file of a routing. "-" is the standard input or output.
enum RoutingFile {
    /// The text by which such a file is known.
    private static let sign = "pipebus-routing"
    /// It is among the first bytes.
    private static let headLength = 4096

    private static func hasSign(_ head: ArraySlice<UInt8>) -> Bool {
        String(decoding: head, as: UTF8.self).contains(sign)
    }

    static func checkName(_ path: String) throws {
        if path.isEmpty {
            throw ToolFailure("The name of the file is empty; name a file, or - for the standard input or output.")
        }
    }

    /// - Throws: ``ToolFailure`` for a file that cannot be read, and for one that is no routing, with the place in it.
    static func read(_ path: String) throws -> RoutingPreset {
        try checkName(path)
        let name = path == "-" ? "The standard input" : path.quoted
        let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(name) }
        defer { close(descriptor) }
        guard let bytes = BoundedRead.bytes(from: descriptor, upTo: RoutingPreset.longestText) else {
            throw failure(name)
        }
        do throws(RoutingError) { return try RoutingPreset(json: bytes) } catch {
            guard Self.hasSign(bytes.prefix(Self.headLength)) else {
                throw ToolFailure(
                    "\(bytes.isEmpty ? "\(name) is empty;" : "\(name) is no saved routing, at \(error)") \"pipebus save\" writes one."
                )
            }
            throw ToolFailure("\(name), \(error)")
        }
    }

    private static func failure(_ name: String) -> ToolFailure {
        ToolFailure(
            "\(name) cannot be read (\(unsafe String(cString: strerror(errno)))); name the file of a saved routing.")
    }

    /// Checks that a file may be replaced: that it holds a routing, or nothing.
    ///
    /// - Returns: whether it holds a routing.
    /// - Throws: ``ToolFailure``.
    @discardableResult
    static func checkReplaceable(_ path: String) throws -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            return false
        }
        var head = [UInt8](repeating: 0, count: headLength)
        let count = unsafe Glibc.read(descriptor, &head, head.count)
        guard count < 0 || !hasSign(head[..<count]) else { return true }
        throw ToolFailure(
            "\(path.quoted) is no routing, and would be replaced; name another file, or remove this one first.")
    }
}
