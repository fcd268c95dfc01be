/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "remote-file.h"

struct _RemoteFile
{
  GObject parent_instance;

  GFile  *file;
};

static GFile *
remote_dup (GFile *file)
{
  return remote_file_new (REMOTE_FILE (file)->file);
}

static gboolean
remote_is_native (GFile *file)
{
  return FALSE;
}

static char *
remote_get_path (GFile *file)
{
  return NULL;
}

static char *
remote_get_name (GFile *file)
{
  return g_file_get_basename (REMOTE_FILE (file)->file);
}

static char *
remote_get_parse_name (GFile *file)
{
  g_autofree char *name = remote_get_name (file);

  return g_strconcat ("remote:///", name, NULL);
}

static GFileInputStream *
remote_read (GFile *file, GCancellable *cancellable, GError **error)
{
  return g_file_read (REMOTE_FILE (file)->file, cancellable, error);
}

static GFileOutputStream *
remote_replace (GFile             *file,
                const char        *etag,
                gboolean           make_backup,
                GFileCreateFlags   flags,
                GCancellable      *cancellable,
                GError           **error)
{
  return g_file_replace (REMOTE_FILE (file)->file, etag, make_backup, flags, cancellable, error);
}

static void
remote_file_iface_init (GFileIface *iface)
{
  iface->dup = remote_dup;
  iface->is_native = remote_is_native;
  iface->get_path = remote_get_path;
  iface->get_basename = remote_get_name;
  iface->get_uri = remote_get_parse_name;
  iface->get_parse_name = remote_get_parse_name;
  iface->read_fn = remote_read;
  iface->replace = remote_replace;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (RemoteFile, remote_file, G_TYPE_OBJECT,
  G_IMPLEMENT_INTERFACE (G_TYPE_FILE, remote_file_iface_init))

static void
remote_file_finalize (GObject *object)
{
  g_clear_object (&REMOTE_FILE (object)->file);

  G_OBJECT_CLASS (remote_file_parent_class)->finalize (object);
}

static void
remote_file_class_init (RemoteFileClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = remote_file_finalize;
}

static void
remote_file_init (RemoteFile *self)
{
}

GFile *
remote_file_new (GFile *file)
{
  RemoteFile *self = g_object_new (REMOTE_TYPE_FILE, NULL);

  self->file = g_object_ref (file);

  return G_FILE (self);
}
