// SPDX-License-Identifier: MIT
// Stand-ins for logind and the desktop's portals, on private buses.
// Arguments: the parts to play.
//   logind             logind, on the bus of DBUS_SYSTEM_BUS_ADDRESS
//   logind-refuses     one that refuses, as polkit does
//   logind-hangs       one that never answers
//   portal             the portals, on the session bus
//   portal-refuses     those as an app outside of a sandbox finds them
// Prints "ready" for each name that it has, and a line for each event:
//   inhibit WHAT, WHO, WHY, MODE      logind was asked
//   released                          its descriptor was closed
//   portal inhibit FLAGS, REASON      the portal was asked
//   portal released                   its request was closed
//   status TEXT                       a background status was set; "status" when it was taken back
#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gboolean plays(int count, char **arguments, const char *part) {
    for (int index = 1; index < count; index++) {
        if (strcmp(arguments[index], part) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean refuses;
static gboolean hangs;

static const char logind_interface[] =
    "<node><interface name='org.freedesktop.login1.Manager'><method name='Inhibit'>"
    "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='h' direction='out'/></method></interface></node>";
static const char portal_interfaces[] =
    "<node><interface name='org.freedesktop.portal.Inhibit'><method name='Inhibit'><arg type='s' direction='in'/><arg type='u' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method></interface>"
    "<interface name='org.freedesktop.portal.Background'><method name='SetStatus'><arg type='a{sv}' direction='in'/></method></interface>"
    "<interface name='org.freedesktop.portal.Request'><method name='Close'/></interface></node>";
static const char request_path[] = "/org/freedesktop/portal/desktop/request/1_1/test";

static void export(GDBusConnection *connection, const char *xml, int index, const char *path, const GDBusInterfaceVTable *table) {
    GError *error = NULL;
    GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(xml, &error);
    if (node == NULL || g_dbus_connection_register_object(connection, path, node->interfaces[index], table, NULL, NULL, &error) == 0) {
        printf("error %s\n", error->message);
    }
}

static gboolean closed(gint descriptor, GIOCondition condition, gpointer data) {
    puts("released");
    close(descriptor);
    return G_SOURCE_REMOVE;
}

static void logind_called(GDBusConnection *connection, const gchar *sender, const gchar *path, const gchar *interface, const gchar *method,
                          GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data) {
    const char *what, *who, *why, *mode;
    int ends[2];
    g_variant_get(parameters, "(&s&s&s&s)", &what, &who, &why, &mode);
    printf("inhibit %s, %s, %s, %s\n", what, who, why, mode);
    if (hangs) {
        return;
    }
    if (refuses || !g_unix_open_pipe(ends, FD_CLOEXEC, NULL)) {
        g_dbus_method_invocation_return_dbus_error(invocation, "org.freedesktop.DBus.Error.AccessDenied", "Permission denied");
        return;
    }
    GUnixFDList *list = g_unix_fd_list_new();
    g_unix_fd_list_append(list, ends[1], NULL);
    close(ends[1]);
    g_dbus_method_invocation_return_value_with_unix_fd_list(invocation, g_variant_new("(h)", 0), list);
    g_object_unref(list);
    g_unix_fd_add(ends[0], G_IO_HUP, closed, NULL);
}

static void portal_called(GDBusConnection *connection, const gchar *sender, const gchar *path, const gchar *interface, const gchar *method,
                          GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data) {
    if (strcmp(method, "Close") == 0) {
        puts("portal released");
        g_dbus_method_invocation_return_value(invocation, NULL);
        return;
    }
    if (refuses) {
        g_dbus_method_invocation_return_dbus_error(invocation, "org.freedesktop.portal.Error.NotAllowed",
                                                   "Only sandboxed applications can set background status");
        return;
    }
    const gboolean is_status = strcmp(method, "SetStatus") == 0;
    guint flags = 0;
    const char *text = NULL;
    GVariant *options = g_variant_get_child_value(parameters, is_status ? 0 : 2);
    if (!is_status) {
        g_variant_get_child(parameters, 1, "u", &flags);
    }
    g_variant_lookup(options, is_status ? "message" : "reason", "&s", &text);
    if (is_status) {
        printf(text == NULL ? "status\n" : "status %s\n", text);
        g_dbus_method_invocation_return_value(invocation, NULL);
    } else {
        printf("portal inhibit %u, %s\n", flags, text == NULL ? "" : text);
        g_dbus_method_invocation_return_value(invocation, g_variant_new("(o)", request_path));
    }
    g_variant_unref(options);
}

static void owned(GDBusConnection *connection, const gchar *name, gpointer data) {
    printf("ready %s\n", name);
}

int main(int count, char **arguments) {
    static const GDBusInterfaceVTable logind_table = {.method_call = logind_called};
    static const GDBusInterfaceVTable portal_table = {.method_call = portal_called};
    setvbuf(stdout, NULL, _IOLBF, 0);
    refuses = plays(count, arguments, "logind-refuses") || plays(count, arguments, "portal-refuses");
    hangs = plays(count, arguments, "logind-hangs");
    GError *error = NULL;
    if (hangs || plays(count, arguments, "logind") || plays(count, arguments, "logind-refuses")) {
        GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, &error);
        if (bus == NULL) {
            printf("error %s\n", error->message);
            return 1;
        }
        export(bus, logind_interface, 0, "/org/freedesktop/login1", &logind_table);
        g_bus_own_name_on_connection(bus, "org.freedesktop.login1", G_BUS_NAME_OWNER_FLAGS_NONE, owned, NULL, NULL, NULL);
    }
    if (plays(count, arguments, "portal") || plays(count, arguments, "portal-refuses")) {
        GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
        if (bus == NULL) {
            printf("error %s\n", error->message);
            return 1;
        }
        export(bus, portal_interfaces, 0, "/org/freedesktop/portal/desktop", &portal_table);
        export(bus, portal_interfaces, 1, "/org/freedesktop/portal/desktop", &portal_table);
        export(bus, portal_interfaces, 2, request_path, &portal_table);
        g_bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", G_BUS_NAME_OWNER_FLAGS_NONE, owned, NULL, NULL, NULL);
    }
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return 0;
}
