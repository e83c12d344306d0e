// The addon: open() and monotonicMs(). Nothing is global, so that every worker thread may load its own.
//
//   open(options, onEvents) --> open: watched by uv_poll
//     close(), or the end of the environment --> closing: descriptor gone, no event any more
//       uv_close calls back --> closed
//
// A socket is an object of functions that share a struct socket. Each function holds it until it is collected, and so does
// uv_poll until it is closed; the last one frees it. (Methods of a class would have to find it by their receiver, which
// takes a quarter of a microsecond of each call.)
#define NAPI_VERSION 8
#include "clock.h"
#include "endpoint.h"

#include <errno.h>
#include <node_api.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

struct socket {
  uv_poll_t poll;
  napi_env env;
  napi_ref on_events; /* NULL once closed by script */
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
  int fd; /* -1 once closed */
  int family;
  uint32_t dropped;
  unsigned holders;
};

static napi_value refuse(napi_env env, const char *message) {
  bool is_pending = false;
  napi_is_exception_pending(env, &is_pending);
  if (!is_pending) napi_throw_type_error(env, NULL, message);
  return NULL;
}

static void give_up(void) {
  napi_fatal_error("vantage:socket", NAPI_AUTO_LENGTH, "out of memory", NAPI_AUTO_LENGTH);
}

static napi_value number(napi_env env, double value) {
  napi_value result = NULL;
  napi_create_double(env, value, &result);
  return result;
}

static void release(struct socket *socket) {
  socket->holders -= 1;
  if (socket->holders == 0) free(socket);
}

static void on_poll_closed(uv_handle_t *handle) {
  struct socket *socket = handle->data;
  if (socket->on_events != NULL) napi_delete_reference(socket->env, socket->on_events);
  napi_async_destroy(socket->env, socket->context);
  napi_remove_async_cleanup_hook(socket->hook);
  release(socket);
}

static void close_socket(struct socket *socket) {
  if (socket->fd < 0) return;
  uv_close((uv_handle_t *)&socket->poll, on_poll_closed);
  close(socket->fd);
  socket->fd = -1;
}

static void on_environment_end(napi_async_cleanup_hook_handle handle, void *data) {
  (void)handle;
  close_socket(data);
}

static void on_function_collected(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  release(data);
}

static void call_back(struct socket *socket, double events) {
  const napi_env env = socket->env;
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value self;
  napi_value on_events;
  napi_value argument = number(env, events);
  if (argument != NULL && napi_get_global(env, &self) == napi_ok &&
      napi_get_reference_value(env, socket->on_events, &on_events) == napi_ok &&
      napi_make_callback(env, socket->context, self, on_events, 1, &argument, NULL) == napi_pending_exception) {
    napi_value error;
    if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
  }
  napi_close_handle_scope(env, scope);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
  struct socket *socket = poll->data;
  if (status == 0) {
    call_back(socket, events & (UV_READABLE | UV_WRITABLE));
    return;
  }
  /* libuv stops watching a socket that has an error to tell; who is called back says whether to go on */
  int error = 0;
  socklen_t error_bytes = sizeof error;
  getsockopt(socket->fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes);
  call_back(socket, error == 0 ? status : -error);
}

static bool get_integer(napi_env env, napi_value options, const char *name, int32_t *value) {
  napi_value property;
  return napi_get_named_property(env, options, name, &property) == napi_ok &&
         napi_get_value_int32(env, property, value) == napi_ok;
}

/* The bytes of a Uint8Array or Buffer; false for anything else. */
static bool get_bytes(napi_env env, napi_value value, uint8_t **bytes, size_t *length) {
  bool is_typed_array = false;
  napi_typedarray_type type;
  void *data;
  if (napi_is_typedarray(env, value, &is_typed_array) != napi_ok || !is_typed_array ||
      napi_get_typedarray_info(env, value, &type, length, &data, NULL, NULL) != napi_ok || type != napi_uint8_array)
    return false;
  *bytes = data;
  return true;
}

static bool read_options(napi_env env, napi_value object, struct endpoint_options *options) {
  int32_t family;
  int32_t is_raw;
  int32_t is_send_only;
  napi_value filter;
  napi_valuetype filter_type;
  uint8_t *bytes = NULL;
  if (!get_integer(env, object, "family", &family) || !get_integer(env, object, "isRaw", &is_raw) ||
      !get_integer(env, object, "protocol", &options->protocol) ||
      !get_integer(env, object, "isSendOnly", &is_send_only) ||
      napi_get_named_property(env, object, "filter", &filter) != napi_ok ||
      napi_typeof(env, filter, &filter_type) != napi_ok || (family != 4 && family != 6))
    return false;
  if (filter_type != napi_null && !get_bytes(env, filter, &bytes, &options->filter_bytes)) return false;
  options->family = family == 4 ? AF_INET : AF_INET6;
  options->type = is_raw ? SOCK_RAW : SOCK_DGRAM;
  options->is_send_only = is_send_only != 0;
  options->filter = bytes;
  return true;
}

/* Takes over the descriptor; on failure it is closed and nothing is left behind. */
static struct socket *watch(napi_env env, napi_value on_events, int fd) {
  uv_loop_t *loop;
  napi_value name;
  struct socket *socket = calloc(1, sizeof *socket);
  if (socket == NULL || napi_get_uv_event_loop(env, &loop) != napi_ok ||
      napi_create_string_latin1(env, "vantage:socket", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      uv_poll_init(loop, &socket->poll, fd) != 0) {
    free(socket);
    close(fd);
    return NULL;
  }
  socket->env = env;
  socket->fd = fd;
  socket->holders = 1;
  socket->poll.data = socket;
  if (napi_add_async_cleanup_hook(env, on_environment_end, socket, &socket->hook) != napi_ok ||
      napi_create_reference(env, on_events, 1, &socket->on_events) != napi_ok ||
      napi_async_init(env, NULL, name, &socket->context) != napi_ok)
    give_up();
  return socket;
}

/* The socket a function belongs to, which may be closed; NULL with an exception pending where arguments are missing. */
static struct socket *socket_of(napi_env env, napi_callback_info info, size_t wanted, napi_value *arguments) {
  size_t count = wanted;
  void *data = NULL;
  if (napi_get_cb_info(env, info, &count, arguments, NULL, &data) != napi_ok || count < wanted) {
    refuse(env, "too few arguments");
    return NULL;
  }
  return data;
}

/* watch(events): UV_READABLE | UV_WRITABLE, 0 for neither */
static napi_value set_events(napi_env env, napi_callback_info info) {
  napi_value argument;
  int32_t events;
  struct socket *socket = socket_of(env, info, 1, &argument);
  if (socket == NULL || socket->fd < 0) return NULL;
  if (napi_get_value_int32(env, argument, &events) != napi_ok || (events & ~(UV_READABLE | UV_WRITABLE)) != 0)
    return refuse(env, "not a set of events");
  if (events == 0) uv_poll_stop(&socket->poll);
  else uv_poll_start(&socket->poll, events, on_poll);
  return NULL;
}

static bool get_doubles(napi_env env, napi_value value, double **numbers, size_t *length) {
  bool is_typed_array = false;
  napi_typedarray_type type;
  void *data;
  if (napi_is_typedarray(env, value, &is_typed_array) != napi_ok || !is_typed_array ||
      napi_get_typedarray_info(env, value, &type, length, &data, NULL, NULL) != napi_ok || type != napi_float64_array)
    return false;
  *numbers = data;
  return true;
}

enum { sent_per_packet = 3 };

/* The monotonic millisecond right before the system call, or a negative errno. */
static double send_one(const struct socket *socket, struct packet *packet, double hop_limit) {
  if (!(hop_limit >= 1 && hop_limit <= 255)) return -EINVAL;
  packet->hop_limit = (int)hop_limit;
  const int64_t at = endpoint_send(socket->fd, socket->family, packet);
  return at < 0 ? (double)at : (double)at / 1e6;
}

/*
 * send(bytes, meta, count): packets in order, which stand in `bytes` one behind the other, each behind the 4 or 16 bytes
 * of its destination. Answers how many are dealt with: fewer when the system has no room for the next one right now.
 *   meta: length, hop limit, and, filled in, sent at (ms) or a negative errno | ...
 * One system call each: sendmmsg is no faster, for the time goes into the network, and it cannot tell when each one left.
 */
static napi_value send_packets(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  struct socket *socket = socket_of(env, info, 3, arguments);
  if (socket == NULL) return NULL;
  if (socket->fd < 0) return number(env, -EBADF);
  uint8_t *bytes;
  size_t capacity;
  double *meta;
  size_t meta_length;
  uint32_t count;
  if (!get_bytes(env, arguments[0], &bytes, &capacity) || !get_doubles(env, arguments[1], &meta, &meta_length) ||
      napi_get_value_uint32(env, arguments[2], &count) != napi_ok || count > meta_length / sent_per_packet)
    return refuse(env, "not a batch of packets");
  const size_t head = address_bytes(socket->family);
  size_t offset = 0;
  for (uint32_t index = 0; index < count; index += 1) {
    double *own = meta + index * sent_per_packet;
    const double length = own[0];
    /* written so that it refuses what is no number, too */
    if (!(length >= 0 && length + (double)(offset + head) <= (double)capacity))
      return refuse(env, "a packet goes beyond its batch");
    struct packet packet = {.destination = bytes + offset, .bytes = bytes + offset + head, .length = (size_t)length};
    own[2] = send_one(socket, &packet, own[1]);
    if (own[2] == -EAGAIN) return number(env, index);
    offset += head + packet.length;
  }
  return number(env, count);
}

enum { received_head = 4, received_per_packet = 4 };

static double arrival_ms(const struct arrival *arrival, int64_t offset, int64_t now) {
  return arrival->stamp_ns == 0 ? (double)now / 1e6 : (double)(arrival->stamp_ns - offset) / 1e6;
}

static bool write_source(napi_env env, napi_value sources, uint32_t slot, const struct arrival *arrival) {
  napi_value text;
  return napi_create_string_latin1(env, arrival->source, NAPI_AUTO_LENGTH, &text) == napi_ok &&
         napi_set_element(env, sources, slot, text) == napi_ok;
}

/*
 * receive(bytes, meta, sources): fills at most as many slots as `meta`, a Float64Array, has room for. Answers how many
 * packets there were, or a negative errno.
 *   meta: read at (ms), offset before and after (ms), dropped | length, arrived at (ms), hop limit or -1, IPv4 source or
 *   -1 | ...; `sources` gets the IPv6 ones
 */
static napi_value receive(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  struct socket *socket = socket_of(env, info, 3, arguments);
  if (socket == NULL) return NULL;
  if (socket->fd < 0) return number(env, -EBADF);
  uint8_t *bytes;
  size_t capacity;
  size_t meta_length;
  double *meta;
  if (!get_bytes(env, arguments[0], &bytes, &capacity) || !get_doubles(env, arguments[1], &meta, &meta_length) ||
      meta_length < received_head + received_per_packet)
    return refuse(env, "not the buffers of a batch");
  const size_t slots = (meta_length - received_head) / received_per_packet;
  struct arrival arrivals[receive_slots];
  const int64_t offset_before = realtime_offset_ns();
  const int count = endpoint_receive(socket->fd, bytes, capacity / slots, (unsigned)slots, arrivals, &socket->dropped);
  const int64_t now = monotonic_ns();
  const int64_t offset = realtime_offset_ns();
  meta[0] = (double)now / 1e6;
  meta[1] = (double)offset_before / 1e6;
  meta[2] = (double)offset / 1e6;
  meta[3] = socket->dropped;
  for (int slot = 0; slot < count; slot += 1) {
    double *own = meta + received_head + slot * received_per_packet;
    own[0] = (double)arrivals[slot].bytes;
    own[1] = arrival_ms(&arrivals[slot], offset, now);
    own[2] = arrivals[slot].hop_limit;
    own[3] = socket->family == AF_INET ? (double)arrivals[slot].source_v4 : -1;
    if (socket->family == AF_INET6 && !write_source(env, arguments[2], (uint32_t)slot, &arrivals[slot])) return refuse(env, "not an array");
  }
  return number(env, count);
}

/* identifier(): the one that the kernel gave a socket that is not raw, or a negative errno */
static napi_value identifier(napi_env env, napi_callback_info info) {
  struct socket *socket = socket_of(env, info, 0, NULL);
  if (socket == NULL) return NULL;
  return number(env, socket->fd < 0 ? -EBADF : endpoint_identifier(socket->fd));
}

/* close(): may be called twice, and from inside onEvents */
static napi_value close_from_script(napi_env env, napi_callback_info info) {
  struct socket *socket = socket_of(env, info, 0, NULL);
  if (socket == NULL || socket->fd < 0) return NULL;
  close_socket(socket);
  /* the callback holds its owner, which holds these functions: the garbage collector must find the way open */
  napi_delete_reference(env, socket->on_events);
  socket->on_events = NULL;
  return NULL;
}

/* Any failure here is a want of memory. */
static void add_function(napi_env env, napi_value object, const char *name, napi_callback call, struct socket *socket) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, call, socket, &function) != napi_ok ||
      napi_add_finalizer(env, function, socket, on_function_collected, NULL, NULL) != napi_ok ||
      napi_set_named_property(env, object, name, function) != napi_ok)
    give_up();
  socket->holders += 1;
}

/* open({family, isRaw, protocol, isSendOnly, filter}, onEvents) */
static napi_value open_socket(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  napi_value object;
  napi_valuetype type;
  struct endpoint_options options;
  memset(&options, 0, sizeof options);
  if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count < 2 ||
      !read_options(env, arguments[0], &options) || napi_typeof(env, arguments[1], &type) != napi_ok ||
      type != napi_function || napi_create_object(env, &object) != napi_ok)
    return refuse(env, "not the options of a socket");
  const int fd = endpoint_open(&options);
  if (fd < 0) {
    napi_throw_error(env, uv_err_name(fd), uv_strerror(fd));
    return NULL;
  }
  struct socket *socket = watch(env, arguments[1], fd);
  if (socket == NULL) return refuse(env, "the socket cannot be watched");
  socket->family = options.family;
  add_function(env, object, "watch", set_events, socket);
  add_function(env, object, "send", send_packets, socket);
  add_function(env, object, "receive", receive, socket);
  add_function(env, object, "identifier", identifier, socket);
  add_function(env, object, "close", close_from_script, socket);
  return object;
}

static napi_value read_monotonic(napi_env env, napi_callback_info info) {
  (void)info;
  return number(env, (double)monotonic_ns() / 1e6);
}

NAPI_MODULE_INIT() {
  napi_value open;
  napi_value monotonic;
  if (napi_create_function(env, "open", NAPI_AUTO_LENGTH, open_socket, NULL, &open) != napi_ok ||
      napi_create_function(env, "monotonicMs", NAPI_AUTO_LENGTH, read_monotonic, NULL, &monotonic) != napi_ok ||
      napi_set_named_property(env, exports, "open", open) != napi_ok ||
      napi_set_named_property(env, exports, "monotonicMs", monotonic) != napi_ok)
    return refuse(env, "the addon cannot be set up");
  return exports;
}
