#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A host that asks an action for what it should not, by nothing but Docs/Protocols.md. It prints what it is answered, a line for each request.

calls SOUND FOLDER    wrong requests, one after the other
tokens SOUND          the same request twice, and a stranger's Cancel
leave SOUND           begins a request, and is gone at once
flood SOUND COUNT     as many requests at once, which do not end, and are cancelled then
burst SOUND COUNT     as many requests at once, which end by themselves
hoard SOUND COUNT     as many requests at once of 16 descriptors each
copy SOUND            an ordinary request
objects               how many requests the action has
"""
import os, socket, sys, time
from gi.repository import Gio, GLib

KIND = os.environ.get("ACTION", "One")
ACTION, OBJECT = "org.pipebus.test." + KIND, "/org/pipebus/test/" + KIND
INTERFACE, REQUEST = "org.pipebus.AudioAction1", "org.pipebus.ActionRequest1"
LIMIT = 30  # seconds


def variants(values):
    """Values as those of a dictionary; those that are variants already stay."""
    kinds = {bool: "b", float: "d", str: "s", int: "i"}
    return {k: v if isinstance(v, GLib.Variant) else GLib.Variant(kinds[type(v)], v) for k, v in values.items()}


class Host:
    """A connection of its own, and the responses that have come there."""

    def __init__(self):
        flags = Gio.DBusConnectionFlags
        self.bus = Gio.DBusConnection.new_for_address_sync(
            os.environ["DBUS_SESSION_BUS_ADDRESS"], flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION)
        self.bus.set_exit_on_close(False)
        self.responses = {}
        self.bus.signal_subscribe(
            None, REQUEST, "Response", None, None, Gio.DBusSignalFlags.NONE,
            lambda _bus, _sender, path, _interface, _member, values: self.responses.update({path: values.unpack()}))

    def begin(self, body, descriptors, done):
        """Asks, and calls done with the path of the request, or with the reason why there is none."""
        files = Gio.UnixFDList.new_from_array([os.dup(number) for number in descriptors])

        def answered(bus, result):
            try:
                done(bus.call_with_unix_fd_list_finish(result)[0].unpack()[0], None)
            except GLib.Error as error:
                done(None, error.message.replace("\n", " "))

        self.bus.call_with_unix_fd_list(
            ACTION, OBJECT, INTERFACE, "Run", body, None, Gio.DBusCallFlags.NONE, LIMIT * 1000, files, None, answered)

    def wait(self, condition):
        deadline = time.monotonic() + LIMIT
        # Wakes the loop for the deadline.
        timer = GLib.timeout_add(100, lambda: True)
        while not condition() and time.monotonic() < deadline:
            GLib.MainContext.default().iteration(True)
        GLib.source_remove(timer)
        return condition()

    def ask(self, body, descriptors):
        answers = []
        self.begin(body, descriptors, lambda path, reason: answers.append((path, reason)))
        return answers[0] if self.wait(lambda: answers) else (None, "no answer")

    def response(self, path):
        """A response in words: its code, the number of files, and the message."""
        if not self.wait(lambda: path in self.responses):
            return "no response"
        code, details = self.responses[path]
        return " ".join(["response", str(code), str(len(details.get("files", []))), details.get("message", "")]).strip()

    def outcome(self, body, descriptors):
        path, reason = self.ask(body, descriptors)
        return self.response(path) if path else "refused " + reason

    def cancel(self, path):
        try:
            self.bus.call_sync(ACTION, path, REQUEST, "Cancel", None, None, Gio.DBusCallFlags.NO_AUTO_START, LIMIT * 1000)
            return "cancelled"
        except GLib.Error as error:
            return "refused " + error.message

    def process(self):
        """The number of the action's process."""
        return self.bus.call_sync(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            GLib.Variant("(s)", (ACTION,)), None, Gio.DBusCallFlags.NONE, LIMIT * 1000).unpack()[0]


def body(files=((0, "Speech.wav", "audio/x-wav"),), parameters={}, options={}):
    return GLib.Variant("(a(hss)a{sv}a{sv})", (list(files), variants(parameters), variants(options)))


def calls(path, folder):
    host = Host()
    sound = os.open(path, os.O_RDONLY)
    # A request that goes on all the time: so the process is not idle, and may not end.
    held, reason = host.ask(body(parameters={"mode": "slow"}), [sound])
    if not held:
        return print("held: refused", reason)
    process = host.process()
    text, empty = os.path.join(folder, "text"), os.path.join(folder, "empty")
    open(text, "w").write("No sound at all.")
    open(empty, "w").close()
    pair = socket.socketpair()
    written = os.open(os.path.join(folder, "written"), os.O_WRONLY | os.O_CREAT, 0o200)
    one, wav = (0, "Speech.wav", "audio/x-wav"), "audio/x-wav"
    v = GLib.Variant
    cases = {
        "no files": (body([]), []),
        "text": (body([(0, "notes.txt", "text/plain")]), [os.open(text, os.O_RDONLY)]),
        "text as a sound": (body(), [os.open(text, os.O_RDONLY)]),
        "empty as a sound": (body(), [os.open(empty, os.O_RDONLY)]),
        "folder": (body(), [os.open("/", os.O_RDONLY)]),
        "pipe": (body(), [os.pipe()[0]]),
        "writer of a pipe": (body(), [os.pipe()[1]]),
        "socket": (body(), [pair[0].fileno()]),
        "device": (body(), [os.open("/dev/zero", os.O_RDONLY)]),
        "memory of a process": (body(), [os.open("/proc/self/mem", os.O_RDONLY)]),
        "path only": (body(), [os.open(text, os.O_PATH)]),
        "place 1 of 1": (body([(1, "A.wav", wav)]), [sound]),
        "place -1": (body([(-1, "A.wav", wav)]), [sound]),
        "place of none": (body(), []),
        "one of two missing": (body([one, (9, "A.wav", wav)]), [sound]),
        "two files": (body([one, one]), [sound]),
        "two files, one of them text": (body([one, (1, "notes.txt", "")]), [sound, os.open(text, os.O_RDONLY)]),
        "odd name": (body([(0, "../../\x1b[31m\n" + 5000 * "x", wav)]), [sound]),
        "no name": (body([(0, "", "")]), [sound]),
        "odd type": (body([(0, "A.wav", "audio/" + 9000 * "x" + "\n")]), [sound]),
        "number as text": (body(parameters={"gain": "3"}), [sound]),
        "number as a list": (body(parameters={"gain": v("ad", [3])}), [sound]),
        "number as a whole one": (body(parameters={"gain": v("t", 3)}), [sound]),
        "choice as number": (body(parameters={"mode": 7}), [sound]),
        "choice as file": (body(parameters={"mode": v("h", 0)}), [sound]),
        "flag as text": (body(parameters={"loud": "yes"}), [sound]),
        "too high": (body(parameters={"gain": 24.5}), [sound]),
        "infinite": (body(parameters={"gain": float("-inf")}), [sound]),
        "no number": (body(parameters={"gain": float("nan")}), [sound]),
        "other word": (body(parameters={"mode": "nonsense\x1b[2J" + 9000 * "x"}), [sound]),
        "unknown parameters": (body(parameters={str(n): n for n in range(1000)}), [sound]),
        "unknown options": (body(options={"future": v("v", v("a{sv}", {})), "": 1}), [sound]),
        "deep parameter": (body(parameters={"gain": deep(50)}), [sound]),
        "10 000 files": (body([one] * 10_000), [sound]),
        "16 files": (body([one] * 16), [sound]),
        "slashes": (body(options={"handle_token": "../../x"}), [sound]),
        "no token": (body(options={"handle_token": ""}), [sound]),
        "long token": (body(options={"handle_token": 65 * "x"}), [sound]),
        "token as number": (body(options={"handle_token": 7}), [sound]),
        "other body": (v("(s)", ("Speech.wav",)), [sound]),
        "no body": (None, []),
        "16 descriptors": (body(), [sound] * 16),
        "17 descriptors": (body(), [sound] * 17),
        "200 descriptors": (body(), [sound] * 200),
        "only written": (body(), [written]),
        "afterwards": (body(), [sound]),
    }
    for name, (values, descriptors) in cases.items():
        # The bus closes the connection of a program that sends it what it does not take.
        print(name + ": " + Host().outcome(values, descriptors), flush=True)
    print("held: " + host.cancel(held) + ", " + host.response(held))
    print("process: " + ("the same" if host.process() == process else "another"))


def deep(levels):
    return GLib.Variant("i", 1) if levels == 0 else GLib.Variant("v", deep(levels - 1))


def tokens(path):
    host, other = Host(), Host()
    sound = os.open(path, os.O_RDONLY)
    slow = body(parameters={"mode": "slow"}, options={"handle_token": "same"})
    first, _ = host.ask(slow, [sound])
    sender = host.bus.get_unique_name()[1:].replace(".", "_")
    print("path: " + ("as said" if first == f"/org/pipebus/request/{sender}/same" else str(first)))
    print("again: " + str(host.ask(slow, [sound])[1]))
    # Another sender's is another request.
    theirs, _ = other.ask(slow, [sound])
    print("stranger: " + other.cancel(first))
    print("first: " + ("goes on" if first not in host.responses else "ended"))
    print("own: " + host.cancel(first) + ", " + host.response(first))
    print("theirs: " + other.cancel(theirs) + ", " + other.response(theirs))
    print("strays: " + str(len(host.responses) + len(other.responses) - 2))


def leave(path):
    host = Host()
    request, reason = host.ask(body(), [os.open(path, os.O_RDONLY)])
    print("begun" if request else reason, flush=True)
    os._exit(0)


def together(host, path, count, values, descriptors):
    answers = []
    for number in range(count):
        host.begin(values(number), descriptors, lambda request, reason: answers.append((request, reason)))
    host.wait(lambda: len(answers) == count)
    reasons = [reason for _, reason in answers if reason]
    print("refused: " + str(len(reasons)) + " " + " / ".join(sorted(set(reasons))))
    return [request for request, _ in answers if request]


def flood(path, count):
    host = Host()
    requests = together(
        host, path, int(count), lambda n: body(parameters={"mode": "slow"}, options={"handle_token": f"t{n}"}),
        [os.open(path, os.O_RDONLY)])
    print("begun: " + str(len(set(requests))))
    for request in requests:
        host.cancel(request)
    print("ended: " + str([host.response(request) for request in requests].count("response 1 0")), flush=True)


def burst(path, count):
    host = Host()
    requests = together(host, path, int(count), lambda n: body(), [os.open(path, os.O_RDONLY)])
    print("begun: " + str(len(set(requests))))
    print("done: " + str([host.response(request) for request in requests].count("response 0 1")), flush=True)


def hoard(path, count):
    host = Host()
    sound = os.open(path, os.O_RDONLY)
    files = [(n, f"{n}.wav", "audio/x-wav") for n in range(16)]
    requests = together(host, path, int(count), lambda n: body(files, parameters={"mode": "slow"}), 16 * [sound])
    print("begun: " + str(len(set(requests))), flush=True)


def copy(path):
    host = Host()
    print(host.outcome(body(), [os.open(path, os.O_RDONLY)]))


def objects():
    """Those of all callers, by introspection."""
    host = Host()

    def children(path):
        text = host.bus.call_sync(
            ACTION, path, "org.freedesktop.DBus.Introspectable", "Introspect", None, None, Gio.DBusCallFlags.NONE,
            LIMIT * 1000).unpack()[0]
        return [path + "/" + node.path for node in Gio.DBusNodeInfo.new_for_xml(text).nodes]

    print(sum(len(children(sender)) for sender in children("/org/pipebus/request")))


if __name__ == "__main__":
    commands = {command.__name__: command for command in [calls, tokens, leave, flood, burst, hoard, copy, objects]}
    commands[sys.argv[1]](*sys.argv[2:]) if len(sys.argv) > 1 else print(__doc__)
