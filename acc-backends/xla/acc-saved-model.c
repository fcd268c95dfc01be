/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-saved-model.h"

#include "acc-error.h"
#include "acc-protobuf.h"

#include <string.h>

/* Fields of TensorFlow's messages */
enum {
  NODE_NAME = 1, NODE_OPERATION = 2, NODE_INPUT = 3, NODE_ATTRIBUTE = 5,
  VALUE_LIST = 1, VALUE_BYTES = 2, VALUE_INTEGER = 3, VALUE_BOOL = 5, VALUE_TYPE = 6, VALUE_SHAPE = 7, VALUE_TENSOR = 8,
  SHAPE_EXTENT = 2, EXTENT_SIZE = 1,
  TENSOR_TYPE = 1, TENSOR_SHAPE = 2, TENSOR_INTEGERS = 7, TENSOR_TEXTS = 8,
  GRAPH_NODE = 1, GRAPH_VERSIONS = 4, VERSIONS_PRODUCER = 1, VERSIONS_LEAST_CONSUMER = 2,
  INFO_NAME = 1, INFO_TYPE = 2, INFO_SHAPE = 3,
  SIGNATURE_INPUT = 1, SIGNATURE_OUTPUT = 2, SIGNATURE_METHOD = 3,
  META_INFO = 1, META_GRAPH = 2, META_SIGNATURE = 5, META_INFO_TAG = 4, META_INFO_VERSION = 5,
  MODEL_SCHEMA = 1, MODEL_META = 2,
};

#define TYPE_TEXT 7

/* Of graphs: what TensorFlow 2.21 writes, and the oldest that may read it. */
#define GRAPH_PRODUCER 1994
#define GRAPH_LEAST_CONSUMER 12

gint
acc_saved_model_get_type (AccElementKind kind)
{
  switch (kind)
    {
    case ACC_KIND_BOOL:
      return 10;
    case ACC_KIND_I8:
      return 6;
    case ACC_KIND_I16:
      return 5;
    case ACC_KIND_I32:
      return 3;
    case ACC_KIND_I64:
      return 9;
    case ACC_KIND_U8:
      return 4;
    case ACC_KIND_U16:
      return 17;
    case ACC_KIND_U32:
      return 22;
    case ACC_KIND_U64:
      return 23;
    case ACC_KIND_F16:
      return 19;
    case ACC_KIND_F32:
      return 1;
    case ACC_KIND_F64:
      return 2;
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
      break;
    }

  g_return_val_if_reached (0);
}

/* --- parts */

static AccProtobuf *
make_shape (guint         rank,
            const gint64 *extents)
{
  AccProtobuf *shape = acc_protobuf_new ();

  for (guint d = 0; d < rank; d++)
    {
      AccProtobuf *extent = acc_protobuf_new ();

      acc_protobuf_add_integer (extent, EXTENT_SIZE, extents[d]);
      acc_protobuf_add_message (shape, SHAPE_EXTENT, extent);
    }

  return shape;
}

static AccProtobuf *
node_new (const char *name,
          const char *operation)
{
  AccProtobuf *node = acc_protobuf_new ();

  acc_protobuf_add_text (node, NODE_NAME, name);
  acc_protobuf_add_text (node, NODE_OPERATION, operation);

  return node;
}

static void
set_integer (AccProtobuf *node,
             const char  *key,
             guint        field,
             gint64       integer)
{
  AccProtobuf *value = acc_protobuf_new ();

  acc_protobuf_add_integer (value, field, integer);
  acc_protobuf_add_entry (node, NODE_ATTRIBUTE, key, value);
}

static void
set_type (AccProtobuf *node,
          const char  *key,
          gint         type)
{
  set_integer (node, key, VALUE_TYPE, type);
}

static void
set_message (AccProtobuf *node,
             const char  *key,
             guint        field,
             AccProtobuf *message)
{
  AccProtobuf *value = acc_protobuf_new ();

  acc_protobuf_add_message (value, field, message);
  acc_protobuf_add_entry (node, NODE_ATTRIBUTE, key, value);
}

/* A list of @text, or of nothing. */
static void
set_texts (AccProtobuf *node,
           const char  *key,
           const char  *text)
{
  AccProtobuf *list = acc_protobuf_new ();

  if (text != NULL)
    acc_protobuf_add_text (list, VALUE_BYTES, text);
  set_message (node, key, VALUE_LIST, list);
}

static AccProtobuf *
make_types (GArray   *vectors,
            gboolean  with_zero,
            gboolean  with_failure)
{
  AccProtobuf *list = acc_protobuf_new ();

  for (guint i = 0; i < vectors->len; i++)
    acc_protobuf_add_integer (list, VALUE_TYPE, acc_saved_model_get_type (g_array_index (vectors, AccHloVector, i).kind));
  if (with_zero || with_failure)
    acc_protobuf_add_integer (list, VALUE_TYPE, acc_saved_model_get_type (ACC_KIND_I32));
  if (with_failure)
    acc_protobuf_add_integer (list, VALUE_TYPE, acc_saved_model_get_type (ACC_KIND_I64));

  return list;
}

static AccProtobuf *
make_shapes (GArray   *vectors,
             gboolean  with_failure)
{
  AccProtobuf *list = acc_protobuf_new ();

  for (guint i = 0; i < vectors->len; i++)
    {
      const AccHloVector *vector = &g_array_index (vectors, AccHloVector, i);

      acc_protobuf_add_message (list, VALUE_SHAPE, make_shape (vector->rank, vector->extents));
    }
  for (guint i = 0; i < (with_failure ? 2 : 0); i++)
    acc_protobuf_add_message (list, VALUE_SHAPE, make_shape (0, NULL));

  return list;
}

/* --- names */

/* By the label of the array, where it has one: letters, digits and “_”, and no other has it. */
static char *
choose_name (GHashTable         *taken,
             const AccHloVector *vector,
             const char         *kind,
             guint               number)
{
  const char *label = acc_array_get_label (vector->array);
  g_autofree char *base = NULL;
  char *name;

  if (label != NULL && g_ascii_isalpha (*label))
    base = g_strcanon (g_strdup (label), G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_", '_');
  else
    base = g_strdup_printf ("%s_%u", kind, number);
  name = vector->buffer > 0 ? g_strdup_printf ("%s_%u", base, vector->buffer) : g_strdup (base);
  for (guint i = 1; g_hash_table_contains (taken, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s_%u_%u", base, vector->buffer, i);
    }
  g_hash_table_add (taken, g_strdup (name));

  return name;
}

static GPtrArray *
choose_names (GHashTable *taken,
              GArray     *vectors,
              const char *kind)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  guint number = 0;

  for (guint i = 0; i < vectors->len; i++)
    {
      const AccHloVector *vector = &g_array_index (vectors, AccHloVector, i);

      if (i > 0 && vector->buffer == 0)
        number++;
      g_ptr_array_add (names, choose_name (taken, vector, kind, number));
    }

  return names;
}

/* --- nodes */

static void
add_input (AccProtobuf        *graph,
           const AccHloVector *vector,
           const char         *name)
{
  AccProtobuf *node = node_new (name, "Placeholder");

  set_type (node, "dtype", acc_saved_model_get_type (vector->kind));
  set_message (node, "shape", VALUE_SHAPE, make_shape (vector->rank, vector->extents));
  acc_protobuf_add_message (graph, GRAPH_NODE, node);
}

static void
add_module (AccProtobuf        *graph,
            const AccHloModule *module,
            GPtrArray          *inputs)
{
  AccProtobuf *node = node_new ("module", "XlaCallModule"), *text = acc_protobuf_new ();
  gboolean has_checks = module->checks->len > 0;

  for (guint i = 0; i < inputs->len; i++)
    acc_protobuf_add_text (node, NODE_INPUT, g_ptr_array_index (inputs, i));
  if (module->takes_zero)
    acc_protobuf_add_text (node, NODE_INPUT, "module/zero");
  set_message (node, "Tin", VALUE_LIST, make_types (module->arguments, module->takes_zero, FALSE));
  set_message (node, "Tout", VALUE_LIST, make_types (module->results, FALSE, has_checks));
  set_message (node, "Sout", VALUE_LIST, make_shapes (module->results, has_checks));
  set_message (node, "_output_shapes", VALUE_LIST, make_shapes (module->results, has_checks));
  set_integer (node, "version", VALUE_INTEGER, ACC_SAVED_MODEL_CALL_VERSION);
  acc_protobuf_add_text (text, VALUE_BYTES, module->text);
  acc_protobuf_add_entry (node, NODE_ATTRIBUTE, "module", text);
  set_texts (node, "platforms", "CPU");
  /* It is for whatever TensorFlow runs on. */
  set_texts (node, "disabled_checks", "platform");
  set_texts (node, "dim_args_spec", NULL);
  set_texts (node, "function_list", NULL);
  set_integer (node, "has_token_input_output", VALUE_BOOL, FALSE);
  acc_protobuf_add_message (graph, GRAPH_NODE, node);
}

static void
add_constant (AccProtobuf *graph,
              const char  *name,
              gint         type,
              AccProtobuf *tensor)
{
  AccProtobuf *node = node_new (name, "Const");

  set_type (node, "dtype", type);
  set_message (node, "value", VALUE_TENSOR, tensor);
  acc_protobuf_add_message (graph, GRAPH_NODE, node);
}

static char *
describe_check (const AccHloCheck *check)
{
  g_autofree char *what = acc_array_describe (check->origin);

  if (check->kind == ACC_ERROR_ARITHMETIC)
    return g_strdup_printf ("%s: %s", what, check->extent == 0 ? "division by zero" : "minimum divided by -1");

  return g_strdup_printf ("%s: an index is outside extent %" G_GINT64_FORMAT, what, check->extent);
}

static AccProtobuf *
make_messages (const AccHloModule *module)
{
  AccProtobuf *tensor = acc_protobuf_new ();
  gint64 n = 1 + (gint64) module->checks->len;

  acc_protobuf_add_integer (tensor, TENSOR_TYPE, TYPE_TEXT);
  acc_protobuf_add_message (tensor, TENSOR_SHAPE, make_shape (1, &n));
  acc_protobuf_add_text (tensor, TENSOR_TEXTS, "");
  for (guint i = 0; i < module->checks->len; i++)
    {
      g_autofree char *message = describe_check (&g_array_index (module->checks, AccHloCheck, i));

      acc_protobuf_add_text (tensor, TENSOR_TEXTS, message);
    }

  return tensor;
}

static AccProtobuf *
make_zero (void)
{
  AccProtobuf *tensor = acc_protobuf_new ();

  acc_protobuf_add_integer (tensor, TENSOR_TYPE, acc_saved_model_get_type (ACC_KIND_I32));
  acc_protobuf_add_message (tensor, TENSOR_SHAPE, make_shape (0, NULL));
  acc_protobuf_add_integer (tensor, TENSOR_INTEGERS, 0);

  return tensor;
}

/* That no check failed: else TensorFlow ends the run with what failed, and the index. */
static void
add_assertion (AccProtobuf        *graph,
               const AccHloModule *module)
{
  gint number = acc_saved_model_get_type (ACC_KIND_I32);
  g_autofree char *failure = g_strdup_printf ("module:%u", module->results->len);
  g_autofree char *index = g_strdup_printf ("module:%u", module->results->len + 1);
  AccProtobuf *equal = node_new ("module/is_right", "Equal"), *gather = node_new ("module/message", "GatherV2");
  AccProtobuf *assertion = node_new ("module/check", "Assert"), *types = acc_protobuf_new ();

  add_constant (graph, "module/messages", TYPE_TEXT, make_messages (module));
  acc_protobuf_add_text (equal, NODE_INPUT, failure);
  acc_protobuf_add_text (equal, NODE_INPUT, "module/zero");
  set_type (equal, "T", number);
  acc_protobuf_add_message (graph, GRAPH_NODE, equal);

  acc_protobuf_add_text (gather, NODE_INPUT, "module/messages");
  acc_protobuf_add_text (gather, NODE_INPUT, failure);
  acc_protobuf_add_text (gather, NODE_INPUT, "module/zero");
  set_type (gather, "Tparams", TYPE_TEXT);
  set_type (gather, "Tindices", number);
  set_type (gather, "Taxis", number);
  acc_protobuf_add_message (graph, GRAPH_NODE, gather);

  acc_protobuf_add_text (assertion, NODE_INPUT, "module/is_right");
  acc_protobuf_add_text (assertion, NODE_INPUT, "module/message");
  acc_protobuf_add_text (assertion, NODE_INPUT, index);
  acc_protobuf_add_integer (types, VALUE_TYPE, TYPE_TEXT);
  acc_protobuf_add_integer (types, VALUE_TYPE, acc_saved_model_get_type (ACC_KIND_I64));
  set_message (assertion, "T", VALUE_LIST, types);
  acc_protobuf_add_message (graph, GRAPH_NODE, assertion);
}

static void
add_output (AccProtobuf        *graph,
            const AccHloVector *vector,
            guint               number,
            const char         *name,
            gboolean            has_checks)
{
  AccProtobuf *node = node_new (name, "Identity");
  g_autofree char *input = number > 0 ? g_strdup_printf ("module:%u", number) : g_strdup ("module");

  acc_protobuf_add_text (node, NODE_INPUT, input);
  if (has_checks)
    acc_protobuf_add_text (node, NODE_INPUT, "^module/check");
  set_type (node, "T", acc_saved_model_get_type (vector->kind));
  acc_protobuf_add_message (graph, GRAPH_NODE, node);
}

/* --- the whole */

static void
describe_tensors (AccProtobuf *signature,
                  guint        field,
                  GArray      *vectors,
                  GPtrArray   *names)
{
  for (guint i = 0; i < vectors->len; i++)
    {
      const AccHloVector *vector = &g_array_index (vectors, AccHloVector, i);
      g_autofree char *tensor = g_strconcat (g_ptr_array_index (names, i), ":0", NULL);
      AccProtobuf *info = acc_protobuf_new ();

      acc_protobuf_add_text (info, INFO_NAME, tensor);
      acc_protobuf_add_integer (info, INFO_TYPE, acc_saved_model_get_type (vector->kind));
      acc_protobuf_add_message (info, INFO_SHAPE, make_shape (vector->rank, vector->extents));
      acc_protobuf_add_entry (signature, field, g_ptr_array_index (names, i), info);
    }
}

static AccProtobuf *
make_graph (const AccHloModule *module,
            GPtrArray          *inputs,
            GPtrArray          *outputs)
{
  AccProtobuf *graph = acc_protobuf_new (), *versions = acc_protobuf_new ();
  gboolean has_checks = module->checks->len > 0;

  for (guint i = 0; i < inputs->len; i++)
    add_input (graph, &g_array_index (module->arguments, AccHloVector, i), g_ptr_array_index (inputs, i));
  if (has_checks || module->takes_zero)
    add_constant (graph, "module/zero", acc_saved_model_get_type (ACC_KIND_I32), make_zero ());
  add_module (graph, module, inputs);
  if (has_checks)
    add_assertion (graph, module);
  for (guint i = 0; i < outputs->len; i++)
    add_output (graph, &g_array_index (module->results, AccHloVector, i), i, g_ptr_array_index (outputs, i), has_checks);
  acc_protobuf_add_integer (versions, VERSIONS_PRODUCER, GRAPH_PRODUCER);
  acc_protobuf_add_integer (versions, VERSIONS_LEAST_CONSUMER, GRAPH_LEAST_CONSUMER);
  acc_protobuf_add_message (graph, GRAPH_VERSIONS, versions);

  return graph;
}

GBytes *
acc_saved_model_write (const AccHloModule *module)
{
  g_autoptr(GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GPtrArray) inputs = NULL, outputs = NULL;
  AccProtobuf *model = acc_protobuf_new (), *meta = acc_protobuf_new (), *info = acc_protobuf_new (), *signature = acc_protobuf_new ();

  g_hash_table_add (taken, g_strdup ("module"));
  inputs = choose_names (taken, module->arguments, "input");
  outputs = choose_names (taken, module->results, "result");

  acc_protobuf_add_text (info, META_INFO_TAG, "serve");
  acc_protobuf_add_text (info, META_INFO_VERSION, "2.21.0");
  acc_protobuf_add_message (meta, META_INFO, info);
  acc_protobuf_add_message (meta, META_GRAPH, make_graph (module, inputs, outputs));
  describe_tensors (signature, SIGNATURE_INPUT, module->arguments, inputs);
  describe_tensors (signature, SIGNATURE_OUTPUT, module->results, outputs);
  acc_protobuf_add_text (signature, SIGNATURE_METHOD, "tensorflow/serving/predict");
  acc_protobuf_add_entry (meta, META_SIGNATURE, "serving_default", signature);
  acc_protobuf_add_integer (model, MODEL_SCHEMA, 1);
  acc_protobuf_add_message (model, MODEL_META, meta);

  return g_byte_array_free_to_bytes (model);
}
