// SPDX-License-Identifier: MIT
import AudioConversion
import BenchmarkSupport
import CBenchmarkResamplers

/// The library's conversions between the graph's sound and an app's, beside those of others.
///
///     conversions ROUNDS
///
/// Prints a line of JSON for each conversion and each peer.
@main
struct Conversions {
    static func main() {
        guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]), rounds > 0 else {
            fail("usage: conversions ROUNDS", status: 64)
        }
        let medium = unsafe [
            samplerate_medium, speex_default, speex_equal, speex_best, pipewire_default, pipewire_best,
        ]
        let best = unsafe [samplerate_best, speex_best, pipewire_best]
        unsafe Contest(resamplers(.medium, medium), rounds: rounds).report("48 kHz MEDIUM")
        unsafe Contest(resamplers(.best, best), rounds: rounds).report("48 kHz BEST")
        for format in [SampleLayout.Sample.float32, .int16, .int24] {
            let work = FormatWork(format)
            Contest(work.storing, rounds: rounds).report("to \(format)")
            Contest(work.loading, rounds: rounds).report("from \(format)")
        }
    }

    private static func resamplers(_ quality: Resampler.Quality, _ peers: [contender]) -> [Contender] {
        let ours = ResamplingWork(quality)
        return [Contender("ours", run: ours.run)] + (unsafe peers.map { unsafe PeerResampling($0).contender })
    }
}
