// SPDX-License-Identifier: MIT
import Foundation

enum Processors {
    /// Numbers of the processors that this process may run on, ascending.
    static var allowed: [Int] {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        // Such as "0-3,8".
        let list = line?.split(separator: "\t").last ?? "0"
        return list.split(separator: ",").flatMap { part in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, first <= last else { return [Int]() }
            return Array(first...last)
        }
    }
}
