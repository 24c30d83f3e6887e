// SPDX-License-Identifier: MIT

extension ProfilerReport {
    /// Bounds of what is read. The daemon stays far below: it makes no report of more than 16 KiB.
    enum Limits {
        /// The largest event, in bytes.
        static let size = 4 << 20
        static let reports = 4096
        static let followers = 1024
        /// The longest name, in bytes.
        static let name = 256
    }

    /// `spa/utils/type.h` and `spa/param/profiler.h`.
    private enum Key {
        static let object: UInt32 = 0x4000A
        static let info: UInt32 = 0x10001
        static let clock: UInt32 = 0x10002
        static let driver: UInt32 = 0x10003
        static let follower: UInt32 = 0x20001
    }

    /// The reports of an event of the profiler, oldest first. Pure.
    ///
    /// Anything that is not valid is left out: an object without a driver, a block with a wrong field. Fields and
    /// properties of later versions are ignored.
    ///
    /// - Parameter bytes: a POD, a structure of objects.
    package static func parse(_ bytes: [UInt8]) -> [ProfilerReport] {
        guard bytes.count <= Limits.size, var objects = Pod(bytes)?.fields else { return [] }
        var reports: [ProfilerReport] = []
        while reports.count < Limits.reports, let object = objects.next() {
            if let report = ProfilerReport(object) { reports.append(report) }
        }
        return reports
    }

    private init?(_ object: Pod) {
        guard var properties = object.properties(ofObject: Key.object) else { return nil }
        var load: Load?
        var clock: Clock?
        var driver: Node?
        var followers: [Node] = []
        while let (key, value) = properties.next() {
            switch key {
            case Key.info: load = Load(value)
            case Key.clock: clock = Clock(value)
            case Key.driver: driver = Node(value)
            case Key.follower where followers.count < Limits.followers:
                if let node = Node(value) { followers.append(node) }
            default: break
            }
        }
        guard let driver else { return nil }
        self.init(load: load, clock: clock, driver: driver, followers: followers)
    }
}

extension ProfilerReport.Node {
    fileprivate init?(_ pod: Pod) {
        guard var fields = pod.fields, let id = fields.next()?.int,
            let name = fields.next()?.string(atMost: ProfilerReport.Limits.name),
            let previousSignal = fields.next()?.long, let signal = fields.next()?.long, let start = fields.next()?.long,
            let finish = fields.next()?.long, let status = fields.next()?.int
        else { return nil }
        // The latency.
        _ = fields.next()
        let xrunCount = fields.next()?.int
        self.init(
            id: UInt32(bitPattern: id), name: name, previousSignal: previousSignal, signal: signal,
            start: start, finish: finish, status: ProfilerReport.Status(status),
            xrunCount: xrunCount.map { Int(UInt32(bitPattern: $0)) }, isAsync: fields.next()?.bool ?? false)
    }
}

extension ProfilerReport.Load {
    fileprivate init?(_ pod: Pod) {
        guard var fields = pod.fields, let counter = fields.next()?.long, let fast = fields.next()?.float,
            let medium = fields.next()?.float, let slow = fields.next()?.float, let xrunCount = fields.next()?.int
        else { return nil }
        self.init(
            counter: counter, fast: fast, medium: medium, slow: slow, xrunCount: Int(UInt32(bitPattern: xrunCount)))
    }
}

extension ProfilerReport.Clock {
    fileprivate init?(_ pod: Pod) {
        guard var fields = pod.fields, fields.next()?.int != nil, let id = fields.next()?.int,
            let name = fields.next()?.string(atMost: ProfilerReport.Limits.name),
            let nanoseconds = fields.next()?.long, let rate = fields.next()?.fraction,
            let position = fields.next()?.long, let duration = fields.next()?.long, let delay = fields.next()?.long
        else { return nil }
        self.init(
            id: UInt32(bitPattern: id), name: name, nanoseconds: nanoseconds,
            sampleRate: rate.numerator == 1 ? Int(rate.denominator) : 0, position: position, duration: duration,
            delay: delay)
    }
}
