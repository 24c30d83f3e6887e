// SPDX-License-Identifier: MIT
import Glibc

/// One of the ways to do the same work that are compared in one process.
public struct Contender {
    let name: String
    /// The figure is for one of them.
    let units: Int
    let run: (Int) -> Void

    /// - Parameters:
    ///   - units: into which the work is divided, such as the ports that a call looks at.
    ///   - run: does the work so many times. The loop is in it, so that a call of the closure is no part of the work.
    public init(_ name: String, units: Int = 1, run: @escaping (Int) -> Void) {
        self.name = name
        self.units = units
        self.run = run
    }

    /// Nanoseconds of processor time for each unit of the work, which is done so many times.
    public func time(_ count: Int) -> Double {
        let start = Self.now
        run(count)
        return (Self.now - start) / Double(count * units)
    }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
