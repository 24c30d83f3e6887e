// SPDX-License-Identifier: MIT
/// Tells the app when the graph's driver, rate or cycle length changes, or when it freewheels. Confined to the loop.
///
/// PipeWire reports none of these to the control side, so they are polled while a port is connected. All ports of an app
/// have one driver, so each change is told once.
final class GraphSettingsWatch {
    private let clock: ClockWatch
    private let notices: NoticeLog
    private let told: ToldGraphSettings

    init(_ clock: ClockWatch, _ told: ToldGraphSettings, notices: NoticeLog) {
        self.told = told
        self.clock = clock
        self.notices = notices
    }

    func poll() {
        for change in told.update(clock.update()) { notices.post(Notice(change)) }
    }

    /// Nothing is connected any more: the settings of the graph concern the app only from the next connection on.
    func stop() { told.reset() }

    /// The session ends. What has changed is told in the next one.
    func close() { told.sessionEnded() }
}

extension Notice {
    init(_ change: GraphSettingsDetector.Change) {
        let (kind, message): (Kind, String) =
            switch change {
            case .driver(let old, let new):
                (.driverChanged, "\(new) drives the graph now, in place of \(old).")
            case .sampleRate(let old, let new):
                (.sampleRateChanged, "The graph's sample rate is \(new) Hz now; it was \(old) Hz.")
            case .quantum(let old, let new):
                (.quantumChanged, "The graph's cycles have \(new) frames now; they had \(old).")
            case .freewheelingBegan(let driver):
                (.freewheelingBegan, "The graph freewheels now: \(driver) runs it as fast as it can.")
            case .freewheelingEnded(let driver):
                (.freewheelingEnded, "The graph runs in real time again, driven by \(driver).")
            }
        self.init(kind: kind, port: nil, message: message)
    }
}
