// SPDX-License-Identifier: MIT
import PipeWireClient

/// Checks after the first port is added whether the audio thread has real-time priority, and reports it once in the client's
/// life. Confined to the loop.
final class SchedulingCheck {
    private let notices: NoticeLog
    private var isDone = false

    init(notices: NoticeLog) { self.notices = notices }

    func run() {
        guard !isDone else { return }
        isDone = true
        guard !notices.hasPosted(.noRealtimePriority), let reason = RealtimeScheduling.reasonForMissingPriority() else {
            return
        }
        let message =
            "The audio thread has no real-time priority (\(reason)); sound may break up when the computer is busy."
        RealtimeScheduling.log(message)
        notices.post(Notice(kind: .noRealtimePriority, port: nil, message: message))
    }
}
