// SPDX-License-Identifier: MIT

extension HeadlessPipeWire {
    /// The source of the graph's cycles.
    package enum Driver: Sendable, Hashable {
        /// A timer: real time.
        case timer
        /// As fast as the clients are. `AudioCycle.isFreewheeling` is true then.
        ///
        /// Take a long quantum. A cycle that a client does not finish in its nominal time has these effects:
        ///
        /// | version | effect |
        /// | --- | --- |
        /// | 1.4 | a second is lost |
        /// | 0.3.65 | every later cycle begins before the last one ends, and frames are wrong without a gap; making a link can be enough (it was in half of all tries) |
        ///
        /// ``GraphStepper`` is exact on both.
        case freewheel
        /// None: a client has to drive the graph.
        case none
    }

    /// The configuration of the daemon. It works with PipeWire 0.3.65 as with 1.4.
    package struct Configuration: Sendable, Hashable {
        /// Number of frames in a cycle, 16…8192; on 0.3.65 the next lower power of two.
        package var quantum: Int
        /// The sample rate, in hertz.
        package var sampleRate: Int
        package var driver: Driver
        /// Whether there is a stereo output device without hardware. Its monitor gives its input.
        package var hasNullSink: Bool
        /// Whether there is a stereo input device that gives silence, as a microphone.
        package var hasNullSource: Bool
        /// Whether the daemon supports metadata objects, as every daemon does by default.
        package var hasMetadata: Bool
        /// Whether the daemon has a profiler, as every daemon has by default.
        package var hasProfiler: Bool

        package init(
            quantum: Int = 1024, sampleRate: Int = 48_000, driver: Driver = .timer, hasNullSink: Bool = false,
            hasNullSource: Bool = false, hasMetadata: Bool = true, hasProfiler: Bool = true
        ) {
            self.quantum = quantum
            self.sampleRate = sampleRate
            self.driver = driver
            self.hasNullSink = hasNullSink
            self.hasNullSource = hasNullSource
            self.hasMetadata = hasMetadata
            self.hasProfiler = hasProfiler
        }

        /// The text of the configuration file.
        var text: String {
            """
            context.properties = {
                core.daemon = true
                core.name = pipewire-0
                support.dbus = false
                link.max-buffers = 16
                default.clock.rate = \(sampleRate)
                default.clock.allowed-rates = [ 32000 44100 48000 88200 96000 176400 192000 \(sampleRate) ]
                default.clock.quantum = \(quantum)
                default.clock.min-quantum = 16
                default.clock.max-quantum = 8192
                default.clock.quantum-limit = 8192
            }
            context.spa-libs = {
                audio.convert.* = audioconvert/libspa-audioconvert
                support.* = support/libspa-support
            }
            context.modules = [
                { name = libpipewire-module-rt
                  args = { nice.level = -11 rt.prio = 88 rtkit.enabled = false rtportal.enabled = false }
                  flags = [ ifexists nofail ] }
                { name = libpipewire-module-protocol-native }
                \(hasProfiler ? "{ name = libpipewire-module-profiler }" : "")
                \(hasMetadata ? "{ name = libpipewire-module-metadata }" : "")
                { name = libpipewire-module-spa-node-factory }
                { name = libpipewire-module-client-node }
                { name = libpipewire-module-access }
                { name = libpipewire-module-adapter }
                { name = libpipewire-module-link-factory }
            ]
            context.objects = [
                \(hasMetadata ? "{ factory = metadata args = { metadata.name = default } }" : "")
            \(driverText)\(hasNullSink ? device("null-sink", "Audio/Sink", 30_000) : "")\
            \(hasNullSource ? device("null-source", "Audio/Source/Virtual", 25_000) : "")
            ]

            """
        }

        private var driverText: String {
            switch driver {
            case .none: ""
            case .timer: driverText("Dummy-Driver", priority: 20_000, freewheels: false)
            case .freewheel: driverText("Freewheel-Driver", priority: 200_000, freewheels: true)
            }
        }

        private func driverText(_ name: String, priority: Int, freewheels: Bool) -> String {
            """
                { factory = spa-node-factory args = {
                    factory.name = support.node.driver node.name = \(name) node.group = pipewire.dummy
                    node.freewheel = \(freewheels) freewheel.wait = 1 priority.driver = \(priority) } }

            """
        }

        /// All of these settings are needed by one version or the other. Without the port configuration a device has no
        /// ports unless a session manager makes some.
        private func device(_ name: String, _ mediaClass: String, _ priority: Int) -> String {
            """
                { factory = adapter args = {
                    factory.name = support.null-audio-sink node.name = \(name) media.class = \(mediaClass)
                    object.linger = true priority.driver = \(priority)
                    audio.format = F32P audio.rate = \(sampleRate) audio.channels = 2 audio.position = [ FL FR ]
                    adapter.auto-port-config = { mode = dsp monitor = true position = preserve } } }

            """
        }
    }
}
