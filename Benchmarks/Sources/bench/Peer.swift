// SPDX-License-Identifier: MIT

/// One of the programs that are compared.
enum Peer: String, Codable {
    case pipebus
    case pwFilter
    case jack
    /// Receivers of eight stereo sources.
    case immediateReceiver
    case synchronizedReceiver
    case mixingFilter
    case meteringFilter
    /// A thread that reads what is received.
    case reader
    case ringReader

    /// The executable beside this one.
    var executable: String {
        switch self {
        case .pipebus: "gain-pipebus"
        case .pwFilter: "gain-pw-filter"
        case .jack: "gain-jack"
        case .immediateReceiver, .synchronizedReceiver: "receive-pipebus"
        case .mixingFilter, .meteringFilter: "receive-pw-filter"
        case .reader: "read-pipebus"
        case .ringReader: "read-ring"
        }
    }

    /// The arguments besides its name.
    var arguments: [String] {
        switch self {
        case .pipebus, .pwFilter, .jack, .reader, .ringReader: []
        case .immediateReceiver: ["immediate"]
        case .synchronizedReceiver: ["synchronized"]
        case .mixingFilter: ["mix"]
        case .meteringFilter: ["meter"]
        }
    }

    var isReceiver: Bool {
        switch self {
        case .pipebus, .pwFilter, .jack, .reader, .ringReader: false
        case .immediateReceiver, .synchronizedReceiver, .mixingFilter, .meteringFilter: true
        }
    }

    /// Whether it has a stereo input and no output.
    var isReader: Bool { self == .reader || self == .ringReader }

    /// The program that starts it.
    var launcher: [String] { self == .jack ? ["pw-jack"] : [] }

    /// The function that libpipewire calls in each cycle, or that reads a block. libjack's own one has no name.
    var processFunction: String? {
        switch self {
        case .pipebus, .immediateReceiver, .synchronizedReceiver: "pbpw_process"
        case .mixingFilter, .meteringFilter: "receive_pw_filter_process"
        case .pwFilter: "gain_pw_filter_process"
        case .jack: nil
        case .reader: "read_pipebus_block"
        case .ringReader: "read_ring_block"
        }
    }

    /// The name for people.
    var title: String {
        switch self {
        case .pipebus: "PipeBus"
        case .pwFilter: "C on pw_filter"
        case .jack: "C on libjack"
        case .immediateReceiver: "immediate"
        case .synchronizedReceiver: "synchronized"
        case .mixingFilter: "C"
        case .meteringFilter: "C with meters"
        case .reader: "Reader"
        case .ringReader: "jack_ringbuffer"
        }
    }
}
