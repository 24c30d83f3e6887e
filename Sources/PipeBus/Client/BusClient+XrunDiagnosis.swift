// SPDX-License-Identifier: MIT

extension BusClient {
    /// When the daemon's profiler is used to find whose fault an xrun was; see ``Xrun/culprit``.
    ///
    /// While it is in use, the daemon takes about a third more processor time. Xruns by the app itself need no profiler. Those by
    /// a source that hangs have a culprit in any case, because the profiler is then used to find the source.
    ///
    /// - Thread: any. A value.
    /// - Realtime: unsafe.
    public enum XrunDiagnosis: String, Sendable, Hashable, CaseIterable {
        /// For ten seconds after each xrun, with daemons from 1.4 on: the next xruns then have a culprit. Older daemons report
        /// so late that a source that hangs would be found only after a second, and there it is as ``never``.
        case automatic
        /// While a port of the app is connected, with every daemon. With daemons before 1.4 every app then finds a source that
        /// hangs up to a second later.
        case always
        /// Not for xruns.
        case never
    }

    /// The present setting; ``XrunDiagnosis/automatic`` unless it was set.
    public var xrunDiagnosis: XrunDiagnosis { declared.xrunDiagnosis }

    /// Sets when the daemon's profiler is used to find whose fault an xrun was. It may be set during an interruption, and outlives
    /// it. After the end of the client it has no effect.
    public func setXrunDiagnosis(_ diagnosis: XrunDiagnosis) {
        declared.setXrunDiagnosis(diagnosis)
        if let session, session.connection.isOpen { session.xruns.updateProfiler() }
    }
}
