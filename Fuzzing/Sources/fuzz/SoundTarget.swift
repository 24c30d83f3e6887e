// SPDX-License-Identifier: MIT
import CFuzz
import Glibc

@testable import PipeBusActions

/// The bytes as a sound file: read in order, read at random places, and written backwards into another one, which is read again.
func fuzzSound(_ input: Input) {
    let bytes = input.rest
    let file = cfuzz_memory_file()
    let count = unsafe write(file, bytes, bytes.count)
    check(file >= 0 && count == bytes.count, "no file in memory")
    defer { close(file) }
    do {
        try read(file, bytes)
    } catch let error as SoundError {
        checkSentence(error)
    } catch {
        check(false, "another error: \(error)")
    }
}

/// The largest number of samples for which a file is looked at as a whole.
private let largestSampleCount = 1 << 17

private func checkSentence(_ error: SoundError) {
    checkShowable(error.message, atMost: 400, "a sentence")
    check(error.message.hasSuffix("."), "no sentence: \(error)")
}

private func read(_ file: Int32, _ bytes: [UInt8]) throws {
    let input = try SoundInput(descriptor: file, name: "file", largestFrameCount: largestSampleCount)
    check((1...1024).contains(input.channelCount) && input.sampleRate > 0, "bounds of the header")
    let format = input.resultFormat
    check(
        format.holds(channelCount: input.channelCount, sampleRate: input.sampleRate) && format.isLossless,
        "\(format) cannot hold the result of \(input.format)")
    // In blocks of a length that the bytes choose.
    let length = 1 + Int(bytes.last ?? 0) * 37
    var samples: [Double] = []
    while samples.count < largestSampleCount {
        let block = try input.read(upTo: length)
        check(block.frameCount <= length && block.channelCount == input.channelCount, "a block of another size")
        if block.isEmpty { break }
        samples += block.samples
    }
    let isWhole = samples.count < largestSampleCount
    let frameCount = try input.frameCount
    if isWhole {
        check(samples.count == frameCount * input.channelCount, "\(samples.count) samples, and \(frameCount) frames")
    }
    if let size = input.format.encoding.byteCount, ![.flac, .sds, .paf].contains(input.format.container) {
        check(frameCount * input.channelCount * size <= bytes.count, "more frames than there are bytes")
    }
    check((try? input.seek(to: frameCount + 1)) == nil, "a frame after the end")
    for place in [frameCount / 2, frameCount - 1, 0, frameCount / 3] where place >= 0 && place < frameCount {
        try input.seek(to: place)
        let block = try input.read(upTo: 3)
        let start = place * input.channelCount
        check(!block.isEmpty, "no frame \(place) of \(frameCount)")
        guard start + block.samples.count <= samples.count else { continue }
        check(same(block.samples[...], samples[start..<start + block.samples.count]), "other samples at \(place)")
    }
    guard isWhole else { return }
    try reverse(input, samples, as: format)
}

private func reverse(_ input: SoundInput, _ samples: [Double], as format: SoundFormat) throws {
    let file = cfuzz_memory_file()
    defer { close(file) }
    let frameCount = try input.frameCount
    let output = try SoundOutput(
        descriptor: file, name: "result", format: format, channelCount: input.channelCount,
        sampleRate: input.sampleRate, expectedFrameCount: frameCount)
    output.metadata = input.metadata.reversed(frameCount: frameCount)
    var end = frameCount
    while end > 0 {
        let start = max(end - input.blockFrameCount, 0)
        try input.seek(to: start)
        try output.write(input.read(upTo: end - start).reversed())
        end = start
    }
    try output.finish()
    let result = try SoundInput(descriptor: file, name: "result", largestFrameCount: 2 * largestSampleCount)
    check(
        result.channelCount == input.channelCount && result.sampleRate == input.sampleRate,
        "another header: \(input.format) at \(input.sampleRate) became \(result.format) at \(result.sampleRate)")
    check(try! result.frameCount == frameCount, "\(frameCount) frames became \(try! result.frameCount)")
    let expected = SoundBlock(samples: samples, channelCount: input.channelCount).reversed().samples
    var place = 0
    while true {
        let block = try result.read(upTo: 10_000)
        if block.isEmpty { break }
        check(same(block.samples[...], expected[place..<place + block.samples.count]), "other samples in \(format)")
        place += block.samples.count
    }
}

private func same(_ first: ArraySlice<Double>, _ second: ArraySlice<Double>) -> Bool {
    first.elementsEqual(second) { $0.bitPattern == $1.bitPattern }
}
