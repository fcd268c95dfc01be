/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-vulkan-instance.h"

#include "acc-error.h"

#include <gmodule.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

static VKAPI_ATTR VkBool32 VKAPI_CALL
report (VkDebugUtilsMessageSeverityFlagBitsEXT      severity,
        VkDebugUtilsMessageTypeFlagsEXT             types,
        const VkDebugUtilsMessengerCallbackDataEXT *data,
        void                                       *user_data)
{
  /* What the loader says about its layers and drivers is not about what acc does. */
  if (types != VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT)
    g_warning ("Vulkan: %s", data->pMessage);
  return VK_FALSE;
}

static gboolean
wants_validation (PFN_vkEnumerateInstanceLayerProperties enumerate)
{
  const char *value = secure_getenv ("ACC_VULKAN_VALIDATE");
  if (value == NULL || strcmp (value, "1") != 0)
    return FALSE;

  guint32 n = 0;
  if (enumerate (&n, NULL) != VK_SUCCESS)
    return FALSE;
  g_autofree VkLayerProperties *layers = g_new0 (VkLayerProperties, MAX (n, 1));
  enumerate (&n, layers);
  for (guint i = 0; i < n; i++)
    if (strcmp (layers[i].layerName, VALIDATION_LAYER) == 0)
      return TRUE;
  return FALSE;
}

static guint
rank_type (VkPhysicalDeviceType type)
{
  switch (type)
    {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER:
    case VK_PHYSICAL_DEVICE_TYPE_MAX_ENUM:
    default:
      return 3;
    }
}

static void
list_devices (AccVulkanInstance *self)
{
  guint32 n = 0;
  if (self->vk.EnumeratePhysicalDevices (self->instance, &n, NULL) != VK_SUCCESS || n == 0)
    return;
  g_autofree VkPhysicalDevice *found = g_new0 (VkPhysicalDevice, n);
  if (self->vk.EnumeratePhysicalDevices (self->instance, &n, found) < 0)
    return;

  self->devices = g_new0 (VkPhysicalDevice, n);
  for (guint rank = 0; rank <= 4; rank++)
    for (guint i = 0; i < n; i++)
      {
        VkPhysicalDeviceProperties properties;
        self->vk.GetPhysicalDeviceProperties (found[i], &properties);
        if (rank_type (properties.deviceType) == rank)
          self->devices[self->n_devices++] = found[i];
      }
}

static gboolean
make_instance (AccVulkanInstance        *self,
               PFN_vkGetInstanceProcAddr get,
               GError                  **error)
{
  PFN_vkEnumerateInstanceVersion version = (PFN_vkEnumerateInstanceVersion) get (NULL, "vkEnumerateInstanceVersion");
  if (version == NULL || version (&self->version) != VK_SUCCESS || self->version < VK_API_VERSION_1_1)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: the loader offers 1.0 only, 1.1 is needed");
      return FALSE;
    }
  self->version = MIN (self->version, VK_API_VERSION_1_3);

  gboolean validate = wants_validation ((PFN_vkEnumerateInstanceLayerProperties) get (NULL, "vkEnumerateInstanceLayerProperties"));
  const char *layers[] = { VALIDATION_LAYER };
  const char *extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME };
  const VkValidationFeatureEnableEXT enable[] = { VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT };
  const VkValidationFeaturesEXT features = {
    .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
    .enabledValidationFeatureCount = G_N_ELEMENTS (enable),
    .pEnabledValidationFeatures = enable,
  };
  const VkDebugUtilsMessengerCreateInfoEXT messenger_info = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .pNext = &features,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = report,
  };
  const VkApplicationInfo application = {
    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
    .pApplicationName = g_get_prgname (),
    .pEngineName = "acc",
    .apiVersion = self->version,
  };
  const VkInstanceCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .pNext = validate ? &messenger_info : NULL,
    .pApplicationInfo = &application,
    .enabledLayerCount = validate ? G_N_ELEMENTS (layers) : 0,
    .ppEnabledLayerNames = layers,
    .enabledExtensionCount = validate ? G_N_ELEMENTS (extensions) : 0,
    .ppEnabledExtensionNames = extensions,
  };
  PFN_vkCreateInstance create = (PFN_vkCreateInstance) get (NULL, "vkCreateInstance");
  VkResult result = create != NULL ? create (&info, NULL, &self->instance) : VK_ERROR_INITIALIZATION_FAILED;
  if (result != VK_SUCCESS)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: no instance can be made (%d)", result);
      return FALSE;
    }

#define LOAD(name) self->vk.name = (PFN_vk##name) get (self->instance, "vk" #name);
  ACC_VULKAN_INSTANCE_FUNCTIONS (LOAD)
#undef LOAD
  if (validate)
    {
      PFN_vkCreateDebugUtilsMessengerEXT listen =
        (PFN_vkCreateDebugUtilsMessengerEXT) get (self->instance, "vkCreateDebugUtilsMessengerEXT");
      VkDebugUtilsMessengerCreateInfoEXT listener = messenger_info;
      VkDebugUtilsMessengerEXT messenger;
      listener.pNext = NULL;
      if (listen != NULL)
        listen (self->instance, &listener, NULL, &messenger);
    }

  list_devices (self);
  if (self->n_devices == 0)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: no device");
      self->vk.DestroyInstance (self->instance, NULL);
      self->instance = NULL;
      return FALSE;
    }
  return TRUE;
}

const AccVulkanInstance *
_acc_vulkan_get_instance (GError **error)
{
  static GMutex lock;
  static AccVulkanInstance instance;
  static GModule *loader;

  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&lock);
  if (instance.instance != NULL)
    return &instance;

  if (loader == NULL)
    loader = g_module_open ("libvulkan.so.1", G_MODULE_BIND_LOCAL | G_MODULE_BIND_LAZY);
  gpointer get = NULL;
  if (loader == NULL || !g_module_symbol (loader, "vkGetInstanceProcAddr", &get) || get == NULL)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "Vulkan: no loader (%s)", g_module_error ());
      return NULL;
    }
  return make_instance (&instance, (PFN_vkGetInstanceProcAddr) get, error) ? &instance : NULL;
}
