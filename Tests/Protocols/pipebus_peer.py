#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A peer of PipeBus apps in another language, by nothing but Docs/Protocols.md: with GIO, and PipeWire's tools in place of its library.

triggers              the triggers of all apps that run
press APP TRIGGER     presses one
keys APP              the keys of an app's published data
read APP KEY          the bytes of one, in hexadecimal
follow APP            its changes, until the app ends
quit APP              asks the app to end
launch APP-ID PORT    starts an app that D-Bus starts, or tells the one that runs, which port is wanted
"""
import base64, fcntl, os, queue, random, re, subprocess, sys, threading, time
from gi.repository import Gio, GLib

LIMIT = 5  # seconds
PROPERTY = re.compile(r'^[*\s]*([^\s=]+) = "(.*)"$', re.M)
UPDATE = re.compile(r"^update: id:0 key:'(.*?)' value:'(.*)' type:'.*?'$", re.M)


def run(*command, attempts=1):
    """What a tool prints. One that waits for an app that has ended meanwhile waits for ever: another attempt sees it gone."""
    while True:
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", timeout=LIMIT).stdout
        except subprocess.TimeoutExpired:
            attempts -= 1
            if attempts == 0:
                raise


def objects(kind):
    """The objects of the registry by id, with the properties that it has of them."""
    blocks = re.split(r"^\s*id (\d+), type \S+$", run("pw-cli", "ls", kind, attempts=3), flags=re.M)
    return {id: dict(PROPERTY.findall(text)) for id, text in zip(blocks[1::2], blocks[2::2])}


def info(id):
    """All properties of an object."""
    return dict(PROPERTY.findall(run("pw-cli", "info", id, attempts=3)))


def apps():
    """The clients of apps by id, with their properties."""
    found = {id: client | info(id) for id, client in objects("Client").items()}
    return {id: client for id, client in found.items() if "application.id" in client}


def find(app):
    for id, client in apps().items():
        if app in (client["application.id"], client.get("application.name")):
            return id
    sys.exit(f"{app} does not run")


def watch(app):
    """An app's client, and a function that says whether it is there: its id is soon another's, and its serial never is."""
    client = find(app)
    serial = objects("Client")[client]["object.serial"]
    return client, lambda: objects("Client").get(client, {}).get("object.serial") == serial


def ports(client):
    found = {id: info(id) for id, node in objects("Node").items() if node.get("client.id") == client}
    return {id: node for id, node in found.items() if "pipebus.port.kind" in node}


def metadata(client, prefix):
    """A client's metadata objects, oldest first."""
    found = [object for object in objects("Metadata").values() if object.get("client.id") == client]
    found = [object for object in found if object.get("metadata.name", "").startswith(prefix)]
    return sorted(found, key=lambda object: int(object["object.serial"]))


def values(name):
    return dict(UPDATE.findall(run("pw-metadata", "-n", name)))


def monitor(name, lines):
    """Puts what a metadata object has, and what it gets, into a queue, with its name."""
    tool = subprocess.Popen(["pw-metadata", "-m", "-n", name], stdout=subprocess.PIPE, encoding="utf-8")

    def read():
        for line in tool.stdout:
            for key, text in UPDATE.findall(line):
                lines.put((name, key, text))

    threading.Thread(target=read, daemon=True).start()
    return tool


def stop(tool):
    tool.kill()
    tool.wait()


def triggers():
    for id, client in apps().items():
        found = [values(object["metadata.name"]) for object in metadata(id, "pipebus.")[:1]]
        texts = found[0] if found else {}
        for trigger in sorted({key.split("/")[1] for key in texts if re.fullmatch("trigger/[^/]+/kind", key)}):
            kind, state, title = (texts.get(f"trigger/{trigger}/{part}") for part in ("kind", "state", "title"))
            print(client["application.id"], trigger, kind, state, title or kind, sep="\t")


def press(app, trigger):
    shared = metadata(find(app), "pipebus.") or sys.exit(f"{app} shares nothing")
    name, key, word = shared[0]["metadata.name"], f"trigger/{trigger}/press", f"0 {random.getrandbits(32)}"
    lines = queue.Queue()
    tool = monitor(name, lines)
    try:
        for _ in values(name):  # What was there before the request is no answer.
            lines.get(timeout=LIMIT)
        run("pw-metadata", "-n", name, "0", key, word, "Spa:String")
        while True:
            _, answered, text = lines.get(timeout=LIMIT)
            if (answered, text) == (key, word):
                return print("taken")
            if answered == "refused" and text.startswith(f"{key}: "):
                return print("refused:", text.removeprefix(f"{key}: "))
    except queue.Empty:  # It may not have been reported.
        print("taken" if values(name).get(key) == word else "no answer")
    finally:
        stop(tool)


def data(client):
    """The names of the objects of an app's data, by their keys. Of two objects with one key the newest counts."""
    return {object["pipebus.data.key"]: object["metadata.name"] for object in metadata(client, "pipebus-data.")}


def shown(text):
    return base64.b64decode(text, validate=True).hex() or "nothing"


def keys(app):
    print(*sorted(data(find(app))), sep="\n")


def read(app, key):
    name = data(find(app)).get(key) or sys.exit(f"{app} does not publish {key}")
    print(shown(values(name)["value"]))


def follow(app):
    (client, is_there), lines, followed = watch(app), queue.Queue(), {}
    while is_there():
        present = {name: key for key, name in data(client).items()}
        for name in present.keys() - followed.keys():
            followed[name] = {"key": present[name], "tool": monitor(name, lines), "text": None}
        for name in followed.keys() - present.keys():
            gone = followed.pop(name)
            stop(gone["tool"])
            print("removed", gone["key"], flush=True)
        try:
            for _ in range(lines.qsize() + 1):
                name, key, text = lines.get(timeout=0.1)
                if name in followed and key == "value" and text != followed[name]["text"]:
                    kind = "added" if followed[name]["text"] is None else "replaced"
                    followed[name]["text"] = text
                    print(kind, followed[name]["key"], shown(text), flush=True)
        except queue.Empty:
            continue
    for left in followed.values():
        stop(left["tool"])
    print("end")


def quit(app):
    (client, is_there), word = watch(app), str(random.getrandbits(32))
    node = next(iter(ports(client)), None) or sys.exit(f"{app} has no port")
    run("pw-cli", "set-param", node, "Props", f'{{ params = [ "pipebus.quit" "0 {word}" ] }}')
    deadline = time.monotonic() + 4 * LIMIT
    while time.monotonic() < deadline:
        if not is_there():
            return print("ended")
        answer = info(node).get("pipebus.quit.answer", "").split(" ", 2)
        if answer[:2] == [word, "stay"]:
            return print("stays:", answer[2])
    print("no answer")


def launch(app, port):
    values = {"org.pipebus.launched-by": "org.example.peer A peer in Python", "org.pipebus.remote": os.environ["PIPEWIRE_REMOTE"]}
    values = {key: GLib.Variant("s", value) for key, value in values.items()}
    request = GLib.Variant("(sava{sv})", ("pipebus-port", [GLib.Variant("s", port)], values))
    with open(f"{GLib.get_user_runtime_dir()}/pipebus-launch-{app}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            app, "/" + app.replace(".", "/").replace("-", "_"), "org.freedesktop.Application", "ActivateAction",
            request, None, Gio.DBusCallFlags.NONE, 4 * LIMIT * 1000)
        deadline = time.monotonic() + 4 * LIMIT
        while time.monotonic() < deadline:
            for client in [id for id, client in apps().items() if client["application.id"] == app]:
                for node in ports(client).values():
                    if node["pipebus.port.name"] == port:
                        return print("port", node["node.name"])
    print("no port")


if __name__ == "__main__":
    commands = {command.__name__: command for command in [triggers, press, keys, read, follow, quit, launch]}
    commands[sys.argv[1]](*sys.argv[2:]) if len(sys.argv) > 1 else print(__doc__)
