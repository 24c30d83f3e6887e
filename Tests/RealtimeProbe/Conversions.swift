// SPDX-License-Identifier: MIT
import AudioConversion
import CRealtime

/// Takes every converter through formats, channels, rates and changes of the rate, on the main thread, for the two real-time checkers
/// to watch. Already the first call is watched.
enum Conversions {
    /// - Returns: number of frames that were converted.
    static func run(rounds: Int) -> Int {
        let memory = ConversionMemory()
        var random: UInt32 = 1
        var frames = 0
        for sample in SampleLayout.Sample.allCases {
            for (graph, client) in [(1, 1), (2, 2), (3, 3), (1, 4), (4, 1), (2, 6), (6, 2)] {
                for rate in [48_000.0, 44_100, 96_000, 8_000, 384_000] {
                    for isAdjustable in [false, true] {
                        let layout = SampleLayout(
                            sample: sample, isInterleaved: rate != 96_000, channelCount: client, ditherEnabled: true)
                        var settings = FormatConverter.Settings(
                            layout: layout, graphChannelCount: graph, graphRate: 48_000, clientRate: rate)
                        settings.isAdjustable = isAdjustable
                        var toClient = FormatConverter.ToClient(settings)
                        var fromClient = FormatConverter.FromClient(settings)
                        for _ in 0..<rounds {
                            crt_realtime_enter()
                            frames += memory.run(&toClient, &random) + memory.run(&fromClient, &random)
                            crt_realtime_exit()
                        }
                    }
                }
            }
        }
        for channelCount in [1, 2, 5, 8] {
            for quality in Resampler.Quality.allCases {
                var resampler = Resampler(
                    channelCount: channelCount, ratio: 48_000 / 44_100, deviation: 0.1, quality: quality)
                for _ in 0..<rounds {
                    crt_realtime_enter()
                    frames += memory.run(&resampler, &random)
                    crt_realtime_exit()
                }
            }
        }
        return frames
    }
}
