import PipeBus
import PipeBusApps

let registration = AppRegistration(
    id: "org.example.synth", name: "Voice Synth", iconName: "audio-card",
    ports: [.sender("out", channels: .mono, title: "Main Out")])
try registration.register()

let bus = try await BusClient.connect(as: registration.id, name: registration.name, iconName: registration.iconName)
let out = try await bus.sender("out", title: "Main Out", channels: .mono, state: ()) { _, _, _ in /* sound */ }
for mismatch in registration.mismatches(in: await bus.graph) { print("warning:", mismatch) }
await bus.runUntilSignal().exit()
