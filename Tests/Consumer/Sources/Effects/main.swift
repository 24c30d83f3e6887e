import PipeBusActions

let file = try ActionFile.file("Speech.wav")
let actions = await AudioActions.available(for: [file])
for action in actions { print(action.name, action.parameters.map(\.title)) }

if let action = actions.first {
    switch await AudioActions.run(action, on: [file], progress: { print($0) }) {
    case .completed(let results): for result in results { print(try result.save(in: ".")) }
    case .cancelled: print("cancelled")
    case .failed(let failure): print(failure)
    }
}
