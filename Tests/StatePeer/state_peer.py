#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The interface org.pipebus.App1 as an app, or a program that loads, should not use it.

state_peer.py app ID HOW    is an app of that id on the session bus; it prints "ready", and "LoadState" for each state that it gets
state_peer.py load ID HOW   gives an app a state, and prints what comes back
"""
import fcntl
import os
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib

LARGEST = 20_000_000
# /usr/include/linux/fcntl.h; Python has them since 3.13.
ADD_SEALS, SHRINK, GROW, WRITE = 1033, 2, 4, 8
INTERFACE = """
<node><interface name="org.pipebus.App1">
  <method name="SaveState"><arg type="s" direction="out"/><arg type="u" direction="out"/><arg type="h" direction="out"/></method>
  <method name="LoadState"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="h" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="s" direction="out"/></method>
  <property name="Version" type="u" access="read"/>
</interface></node>
"""


def memory(content=b"state", size=None, seals=SHRINK | GROW | WRITE):
    descriptor = os.memfd_create("state", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(descriptor, content)
    if size is not None:
        os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, ADD_SEALS, seals)
    return descriptor


def descriptor(how):
    """The descriptor of a state; None for a message without one."""
    if how == "unsealed":
        return memory(seals=0)
    if how in ("shrinkable", "growable", "writable"):
        seals = {"shrinkable": GROW | WRITE, "growable": SHRINK | WRITE, "writable": SHRINK | GROW}
        return memory(seals=seals[how])
    if how == "unreadable":
        return os.open(f"/proc/self/fd/{memory()}", os.O_WRONLY)
    if how == "large":
        return memory(size=LARGEST + 1)
    if how == "huge":
        return memory(size=1 << 40)
    if how == "file":
        return os.open("/etc/passwd", os.O_RDONLY)
    if how == "pipe":
        return os.pipe()[0]
    if how == "device":
        return os.open("/dev/zero", os.O_RDONLY)
    if how in ("none", "elsewhere"):
        return None
    return memory()


def texts(how):
    kind = {"nameless": "", "long": "t" * 256, "unprintable": "a\x1b[2Jb\n"}.get(how, "org.example.state")
    return kind, 0xFFFFFFFF if how == "newest" else 1


def attach(message, how, body):
    message.set_body(body)
    found = descriptor(how)
    if found is not None or how == "elsewhere":
        files = Gio.UnixFDList.new()
        files.append(found if found is not None else memory())
        message.set_unix_fd_list(files)


def answer(connection, call, how):
    method = call.get_member()
    print(method, flush=True)
    if how == "crash":
        os._exit(1)
    if how == "hang":
        return
    if how == "error":
        reply = Gio.DBusMessage.new_method_error_literal(call, "org.example.Odd", "no\x1b[2J\n" + "x" * 1_000_000)
    else:
        reply = Gio.DBusMessage.new_method_reply(call)
        place = 5 if how == "elsewhere" else 0
        if how == "form":
            reply.set_body(GLib.Variant("(u)", (1,)))
        elif how == "empty":
            pass
        elif method == "SaveState":
            attach(reply, how, GLib.Variant("(suh)", (*texts(how), place)))
        else:
            reply.set_body(GLib.Variant("(s)", ("a\x1b[2J\n" + "x" * 1_000_000 if how == "message" else "",)))
    connection.send_message(reply, Gio.DBusSendMessageFlags.NONE)


def app(connection, name, how):
    def called(connection, sender, path, interface, method, parameters, invocation):
        answer(connection, invocation.get_message(), how)

    info = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
    connection.register_object("/" + name.replace(".", "/").replace("-", "_"), info, called, None, None)
    connection.call_sync(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        GLib.Variant("(su)", (name, 4)), None, Gio.DBusCallFlags.NONE, 5000, None)
    print("ready", flush=True)
    GLib.MainLoop().run()


def load(connection, name, how):
    message = Gio.DBusMessage.new_method_call(name, "/" + name.replace(".", "/"), "org.pipebus.App1", "LoadState")
    place = 5 if how == "elsewhere" else 0
    if how == "form":
        attach(message, how, GLib.Variant("(suh)", (*texts(how), place)))
    else:
        options = {"routing": GLib.Variant("u", 1) if how == "option" else GLib.Variant("s", "a\x1b[2J")}
        attach(message, how, GLib.Variant("(suha{sv})", (*texts(how), place, options)))
    reply, _ = connection.send_message_with_reply_sync(message, Gio.DBusSendMessageFlags.NONE, 10_000, None)
    text = reply.get_body().unpack()[0] if reply.get_body() else ""
    print(reply.get_error_name() or "taken", repr(text), flush=True)


# A connection of its own, so that a name that is taken is not GIO's.
bus = Gio.DBusConnection.new_for_address_sync(
    os.environ["DBUS_SESSION_BUS_ADDRESS"],
    Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
{"app": app, "load": load}[sys.argv[1]](bus, sys.argv[2], sys.argv[3])
