// SPDX-License-Identifier: MIT
import AudioConversion
import CRealtime
import Glibc

/// Takes every converter through formats, channels, rates and changes of the rate, for the two real-time checkers to watch.
///
///     conversion-probe [rounds] [violation]
///
/// Already the first call is watched. With a violation something forbidden happens in between; a checker that then finds
/// nothing is broken.
@main
struct ConversionProbe {
    static func main() {
        let arguments = CommandLine.arguments
        let rounds = arguments.count > 1 ? Int(arguments[1]) ?? 0 : 20
        let kind = arguments.count > 2 ? Violation.Kind(rawValue: arguments[2]) : .some(.none)
        guard rounds > 0, let kind else { fail("usage: conversion-probe [rounds] [malloc|lock|syscall]") }
        let violation = Violation(kind)
        let memory = ProbeMemory()
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
                            violation.commit()
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
        print("conversion: frames=\(frames)")
    }

    static func fail(_ message: String) -> Never {
        let line = "conversion-probe: \(message)\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
        exit(1)
    }
}
