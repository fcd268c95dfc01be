/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/runtime/device/acc-event-device.h"

#include <string.h>

/* What CUDA and OpenCL have in common: points of queues, here with events that come to pass when the test says so, and parts of
 * launches. */

typedef struct {
  gboolean is_done;
  int      failure;
} Event;

typedef struct {
  AccEventDevice parent;
  GPtrArray     *recorded;   /* Event, owned */
  guint          n_released, n_entered, n_ordered;
  gboolean       refuses;    /* to record */
} Device;

static gboolean
enter (AccEventDevice *device, GError **error)
{
  ((Device *) device)->n_entered++;
  return TRUE;
}

static void
leave (AccEventDevice *device)
{
  ((Device *) device)->n_entered--;
}

static gboolean
check (AccEventDevice *device, int code, const char *doing, GError **error)
{
  if (code == 0)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: %d", doing, code);
  return FALSE;
}

static gpointer
record (AccEventDevice *device, AccQueue queue, GError **error)
{
  Device *self = (Device *) device;
  Event *event;

  if (self->refuses)
    {
      check (device, -7, "recording", error);
      return NULL;
    }
  event = g_new0 (Event, 1);
  g_ptr_array_add (self->recorded, event);

  return event;
}

static void
release (AccEventDevice *device, gpointer event)
{
  ((Device *) device)->n_released++;
}

static int
ask (AccEventDevice *device, gpointer event)
{
  Event *self = event;

  return self->failure != 0 ? self->failure : !self->is_done;
}

static int
await (AccEventDevice *device, gpointer event)
{
  ((Event *) event)->is_done = TRUE;
  return ((Event *) event)->failure;
}

static int
order (AccEventDevice *device, AccQueue queue, gpointer event)
{
  ((Device *) device)->n_ordered++;
  return 0;
}

static const AccEventClass events = { enter, leave, check, record, release, ask, await, order };
static const AccDeviceClass klass = { .name = "events" };

static Device *
open_device (void)
{
  Device *self = acc_event_device_new (&klass, &events, sizeof (Device));

  self->parent.parent.description = g_strdup ("a device");
  self->recorded = g_ptr_array_new_with_free_func (g_free);
  return self;
}

static void
close_device (Device *self)
{
  acc_event_device_drop_points (&self->parent);
  g_assert_cmpuint (self->n_released, ==, self->recorded->len);
  g_assert_cmpuint (self->n_entered, ==, 0);
  g_ptr_array_unref (self->recorded);
  acc_event_device_free (&self->parent);
}

static guint64
mark (Device *self, AccQueue queue)
{
  guint64 point = 0;
  g_autoptr(GError) error = NULL;

  g_assert_true (acc_event_device_mark (&self->parent.parent, queue, &point, &error));
  g_assert_no_error (error);
  return point;
}

static void
test_points (void)
{
  Device *self = open_device ();
  AccDevice *device = &self->parent.parent;
  g_autoptr(GError) error = NULL;
  guint64 first = mark (self, ACC_QUEUE_COMPUTE), second = mark (self, ACC_QUEUE_COMPUTE), other = mark (self, ACC_QUEUE_UPLOAD), point = 0;
  Event *of_first = g_ptr_array_index (self->recorded, 0), *of_second = g_ptr_array_index (self->recorded, 1);

  g_assert_cmpuint (second, >, first);
  g_assert_true (acc_event_device_is_reached (device, ACC_QUEUE_COMPUTE, 0));
  g_assert_false (acc_event_device_is_reached (device, ACC_QUEUE_COMPUTE, first));

  /* Only what is not reached needs an order, and no queue with itself. */
  g_assert_true (acc_event_device_wait (device, ACC_QUEUE_COMPUTE, ACC_QUEUE_COMPUTE, first, &error));
  g_assert_cmpuint (self->n_ordered, ==, 0);
  g_assert_true (acc_event_device_wait (device, ACC_QUEUE_UPLOAD, ACC_QUEUE_COMPUTE, first, &error));
  g_assert_cmpuint (self->n_ordered, ==, 1);

  of_first->is_done = TRUE;
  g_assert_true (acc_event_device_is_reached (device, ACC_QUEUE_COMPUTE, first));
  g_assert_false (acc_event_device_is_reached (device, ACC_QUEUE_COMPUTE, second));
  g_assert_false (acc_event_device_is_reached (device, ACC_QUEUE_UPLOAD, other));
  g_assert_cmpuint (self->n_released, ==, 1);
  g_assert_true (acc_event_device_wait (device, ACC_QUEUE_UPLOAD, ACC_QUEUE_COMPUTE, first, &error));
  g_assert_cmpuint (self->n_ordered, ==, 1);

  /* A wait reaches it, with a limit or without; a failure of what runs is told. */
  g_assert_true (acc_event_device_block (device, ACC_QUEUE_COMPUTE, second, 0, &error));
  g_assert_true (of_second->is_done);
  g_assert_true (acc_event_device_block (device, ACC_QUEUE_COMPUTE, second, 1, &error));
  ((Event *) g_ptr_array_index (self->recorded, 2))->failure = -5;
  g_assert_false (acc_event_device_block (device, ACC_QUEUE_UPLOAD, other, 1, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==, "waiting: -5");
  g_clear_error (&error);
  g_assert_false (acc_event_device_is_reached (device, ACC_QUEUE_UPLOAD, other));

  self->refuses = TRUE;
  g_assert_false (acc_event_device_mark (device, ACC_QUEUE_COMPUTE, &point, &error));
  g_assert_cmpstr (error->message, ==, "recording: -7");
  g_clear_error (&error);
  self->refuses = FALSE;
  g_assert_cmpuint (mark (self, ACC_QUEUE_COMPUTE), ==, second + 1);
  close_device (self);
}

/* A device that takes too long is lost, and everything fails from then on. */
static void
test_lost (void)
{
  Device *self = open_device ();
  AccDevice *device = &self->parent.parent;
  g_autoptr(GError) error = NULL;
  guint64 point = mark (self, ACC_QUEUE_DOWNLOAD), more = 0;

  g_assert_false (acc_event_device_block (device, ACC_QUEUE_DOWNLOAD, point, 1e-3, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_DEVICE_LOST);
  g_assert_cmpstr (error->message, ==, "a device did not finish within 0.001 s");
  g_clear_error (&error);
  g_assert_false (acc_event_device_is_there (&self->parent, &error));
  g_assert_cmpstr (error->message, ==, "a device was lost");
  g_clear_error (&error);
  g_assert_false (acc_event_device_mark (device, ACC_QUEUE_DOWNLOAD, &more, NULL));
  g_assert_false (acc_event_device_wait (device, ACC_QUEUE_UPLOAD, ACC_QUEUE_DOWNLOAD, point, NULL));
  g_assert_false (acc_event_device_block (device, ACC_QUEUE_DOWNLOAD, point, 0, NULL));
  g_assert_false (acc_event_device_block (device, ACC_QUEUE_UPLOAD, 0, 0, NULL));
  g_assert_false (acc_event_device_is_reached (device, ACC_QUEUE_DOWNLOAD, point));
  close_device (self);
}

/* Every index is in one part, in tiles that lie where those of the whole lie. */
static void
test_parts (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < 2000; i++)
    {
      AccGroups groups;
      AccGroupsPart part;
      gint64 most[2], seen = 0, n_groups = 0, first[2], count[2];

      for (guint d = 0; d < 2; d++)
        {
          groups.begin[d] = g_rand_int_range (rand, 0, 40);
          groups.end[d] = groups.begin[d] + g_rand_int_range (rand, 1, 60);
          groups.tile[d] = g_rand_int_range (rand, 1, 9);
          most[d] = g_rand_int_range (rand, 1, 6);
        }
      acc_groups_count (&groups, first, count);
      acc_groups_begin_parts (&groups, most, &part);
      while (acc_groups_next_part (&part))
        {
          gint64 extent[2];

          for (guint d = 0; d < 2; d++)
            {
              const gint64 *words = part.words + 4 * d;

              extent[d] = words[1] - words[0];
              g_assert_cmpint (words[0], >=, groups.begin[d]);
              g_assert_cmpint (words[1], <=, groups.end[d]);
              g_assert_cmpint (words[2], ==, groups.tile[d]);
              g_assert_cmpint (words[3] % words[2], ==, 0);
              g_assert_cmpint (words[0] - words[3], <, words[2]);
              g_assert_cmpint (part.count[d], <=, most[d]);
              g_assert_cmpint ((words[1] - 1 - words[3]) / words[2] + 1, ==, part.count[d]);
            }
          seen += extent[0] * extent[1];
          n_groups += part.count[0] * part.count[1];
        }
      g_assert_cmpint (seen, ==, (groups.end[0] - groups.begin[0]) * (groups.end[1] - groups.begin[1]));
      g_assert_cmpint (n_groups, ==, count[0] * count[1]);
    }
}

/* Up to where numbers end, and a row without elements. */
static void
test_extreme_parts (void)
{
  const gint64 most[2] = { 65535, G_MAXINT32 };
  AccGroups groups = { { 0, G_MAXINT64 - 3 }, { 1, G_MAXINT64 }, { 1, 256 } };
  AccGroupsPart part;

  acc_groups_begin_parts (&groups, most, &part);
  g_assert_true (acc_groups_next_part (&part));
  g_assert_cmpint (part.words[4], ==, G_MAXINT64 - 3);
  g_assert_cmpint (part.words[5], ==, G_MAXINT64);
  g_assert_false (acc_groups_next_part (&part));

  groups = (AccGroups) { { 0, 0 }, { 3, 0 }, { 2, 256 } };
  acc_groups_begin_parts (&groups, most, &part);
  g_assert_true (acc_groups_next_part (&part));
  g_assert_cmpint (part.count[0], ==, 2);
  g_assert_cmpint (part.count[1], ==, 1);
  g_assert_cmpint (part.words[5], ==, 0);
  g_assert_false (acc_groups_next_part (&part));
}

static void
test_numbers (void)
{
  g_auto(GStrv) names = acc_device_list_numbers (3), none = acc_device_list_numbers (0);
  g_autoptr(GError) error = NULL;
  guint number = 7;

  g_assert_true (g_strv_equal ((const char *const *) names, (const char *[]) { "0", "1", "2", NULL }));
  g_assert_cmpuint (g_strv_length (none), ==, 0);
  g_assert_true (acc_device_find_number (NULL, "fake", 3, &number, &error));
  g_assert_cmpuint (number, ==, 0);
  g_assert_true (acc_device_find_number ("2", "fake", 3, &number, &error));
  g_assert_cmpuint (number, ==, 2);
  for (guint i = 0; i < 4; i++)
    {
      const char *wrong[] = { "3", "-1", "", "zero" };

      g_assert_false (acc_device_find_number (wrong[i], "fake", 3, &number, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED);
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event-device/points", test_points);
  g_test_add_func ("/event-device/lost", test_lost);
  g_test_add_func ("/event-device/parts", test_parts);
  g_test_add_func ("/event-device/extreme-parts", test_extreme_parts);
  g_test_add_func ("/event-device/numbers", test_numbers);

  return g_test_run ();
}
