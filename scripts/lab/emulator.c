// The cables of a lab: emulator SOCKET SEED LINK:NAMESPACE:DEVICE:NAMESPACE:DEVICE ...
//
// Each link is a pair of TAP devices in two network namespaces; frames that enter one leave the other, per direction
// delayed, lost, doubled, reordered or slowed as told. `forth` is from the first device to the second. Prints "ready" when
// the devices are there, ends when its standard input does. Commands, one per line, over the unix socket:
//   set LINK forth|back KEY=VALUE ...   delay_ns jitter_ns loss duplicate reorder rate_bps queue_bytes; answers "ok"
//   seed N                              restarts every direction's random numbers; answers "ok"
//   status                              settings and counters of every direction as one line of JSON
//
// Only unicast frames are carried: the hosts know their neighbours, and what they shout into the wire beside the packets
// (multicast listener reports) would spoil exact counts. Jitter keeps the order; reordering is a setting of its own.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINKS 16
#define MAX_DIRECTIONS (2 * MAX_LINKS)
#define MAX_CLIENTS 16
#define MAX_FRAME 2048
#define MAX_LINE 512
// frames in flight per direction: more is a cable that nobody has
#define MAX_PENDING 20000
// a reordered frame waits this long to be overtaken, then goes on in its place
#define MAX_HOLD_NS 2000000000ull
// timers wake late by some 50 us: the rest of the way is waited for awake
#define SPIN_NS 60000ull
#define DEFAULT_QUEUE_BYTES 256000

enum { KIND_TAP, KIND_TIMER, KIND_STDIN, KIND_LISTENER, KIND_CLIENT };

struct settings {
  uint64_t delay_ns, jitter_ns, rate_bps, queue_bytes;
  double loss, duplicate, reorder;
};

// received + duplicated = lost + overflowed + delivered + failed + in flight
struct counters {
  uint64_t received, received_bytes, lost, overflowed, duplicated, reordered, delivered, delivered_bytes, failed;
};

struct frame {
  uint64_t due_ns, order;
  int direction;
  size_t length;
  uint8_t bytes[];
};

struct direction {
  int in, out;
  uint64_t random, free_at_ns, last_due_ns, pending;
  struct frame *held;
  struct settings settings;
  struct counters counters;
};

struct client {
  int fd;
  size_t length;
  char line[MAX_LINE];
};

static struct direction directions[MAX_DIRECTIONS];
static int link_names[MAX_LINKS], link_count;
static struct client clients[MAX_CLIENTS];
static struct frame **heap;
static size_t heap_length, heap_room;
static uint64_t frame_order;
static int poller, timer;

static void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

// splitmix64: every direction has a sequence of its own, so that one's traffic does not change another's fate
static uint64_t next_random(struct direction *d) {
  uint64_t z = (d->random += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// 0 <= value < 1
static double next_fraction(struct direction *d) { return (double)(next_random(d) >> 11) * 0x1.0p-53; }

static int happens(struct direction *d, double ratio) { return ratio > 0 && next_fraction(d) < ratio; }

static void seed_all(uint64_t seed) {
  for (int i = 0; i < 2 * link_count; i++) directions[i].random = seed * 0xd1342543de82ef95ull + (uint64_t)i * 0x2545f491ull;
}

static int is_earlier(const struct frame *a, const struct frame *b) {
  return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void heap_push(struct frame *frame) {
  if (heap_length == heap_room) {
    heap_room = heap_room ? 2 * heap_room : 1024;
    heap = realloc(heap, heap_room * sizeof *heap);
    if (heap == NULL) fail("out of memory");
  }
  size_t at = heap_length++;
  for (; at > 0 && is_earlier(frame, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = frame;
}

static struct frame *heap_pop(void) {
  struct frame *first = heap[0], *last = heap[--heap_length];
  size_t at = 0;
  for (size_t child = 1; child < heap_length; child = 2 * at + 1) {
    if (child + 1 < heap_length && is_earlier(heap[child + 1], heap[child])) child++;
    if (!is_earlier(heap[child], last)) break;
    heap[at] = heap[child];
    at = child;
  }
  if (heap_length > 0) heap[at] = last;
  return first;
}

// An interface that is down or a full queue loses the frame, as a cable that is pulled.
static void deliver(struct direction *d, const uint8_t *bytes, size_t length) {
  ssize_t written;
  do written = write(d->out, bytes, length);
  while (written < 0 && errno == EINTR);
  if (written == (ssize_t)length) {
    d->counters.delivered++;
    d->counters.delivered_bytes += length;
  } else {
    d->counters.failed++;
  }
}

static struct frame *copy_frame(int index, const uint8_t *bytes, size_t length) {
  struct frame *frame = malloc(sizeof *frame + length);
  if (frame == NULL) fail("out of memory");
  frame->direction = index;
  frame->length = length;
  frame->order = frame_order++;
  memcpy(frame->bytes, bytes, length);
  return frame;
}

static void send_later(struct direction *d, struct frame *frame, uint64_t due_ns) {
  frame->due_ns = due_ns;
  d->pending++;
  heap_push(frame);
}

// When a frame that comes now has left a wire of this rate; 0 when the queue before it is full.
static uint64_t leave_wire(struct direction *d, uint64_t now, size_t length) {
  if (d->settings.rate_bps == 0) return now;
  uint64_t starts = d->free_at_ns > now ? d->free_at_ns : now;
  double waiting_bytes = (double)(starts - now) * (double)d->settings.rate_bps / 8e9;
  if (waiting_bytes + (double)length > (double)d->settings.queue_bytes) return 0;
  d->free_at_ns = starts + (uint64_t)((double)length * 8e9 / (double)d->settings.rate_bps);
  return d->free_at_ns;
}

static uint64_t due_after(struct direction *d, uint64_t left_ns) {
  uint64_t delay = d->settings.delay_ns;
  if (d->settings.jitter_ns > 0) {
    double offset = (2 * next_fraction(d) - 1) * (double)d->settings.jitter_ns;
    delay = (double)delay + offset < 0 ? 0 : (uint64_t)((double)delay + offset);
  }
  uint64_t due = left_ns + delay;
  if (due < d->last_due_ns) due = d->last_due_ns;
  return d->last_due_ns = due;
}

static void carry_once(int index, const uint8_t *bytes, size_t length, int may_hold) {
  uint64_t now = now_ns();
  struct direction *d = &directions[index];
  uint64_t left = d->pending < MAX_PENDING ? leave_wire(d, now, length) : 0;
  if (left == 0) {
    d->counters.overflowed++;
    return;
  }
  uint64_t due = due_after(d, left);
  if (may_hold && d->held == NULL && happens(d, d->settings.reorder)) {
    d->held = copy_frame(index, bytes, length);
    send_later(d, d->held, due + MAX_HOLD_NS);
    return;
  }
  if (due <= now && d->pending == (d->held != NULL)) deliver(d, bytes, length);
  else send_later(d, copy_frame(index, bytes, length), due);
  if (d->held == NULL) return;
  // what was held is overtaken: it follows at once. It stays where it is in the heap, and its copy goes.
  struct frame *held = d->held;
  d->held = NULL;
  d->counters.reordered++;
  send_later(d, copy_frame(index, held->bytes, held->length), due);
  held->length = 0;
}

static void carry(int index, const uint8_t *bytes, size_t length) {
  struct direction *d = &directions[index];
  if (length < 14 || (bytes[0] & 1)) return;
  d->counters.received++;
  d->counters.received_bytes += length;
  if (happens(d, d->settings.loss)) {
    d->counters.lost++;
    return;
  }
  // a frame that its own copy overtakes is not out of order
  int is_doubled = happens(d, d->settings.duplicate);
  carry_once(index, bytes, length, !is_doubled);
  if (!is_doubled) return;
  d->counters.duplicated++;
  carry_once(index, bytes, length, 0);
}

static void read_tap(int index) {
  struct direction *d = &directions[index];
  uint8_t bytes[MAX_FRAME];
  for (int budget = 64; budget > 0; budget--) {
    ssize_t length = read(d->in, bytes, sizeof bytes);
    if (length > 0) {
      carry(index, bytes, (size_t)length);
    } else if (length < 0 && errno == EINTR) {
      continue;
    } else {
      // EIO: the interface is down. A device that is gone for good would wake us for ever.
      if (length < 0 && errno == EBADFD) epoll_ctl(poller, EPOLL_CTL_DEL, d->in, NULL);
      return;
    }
  }
}

static void release_due(void) {
  while (heap_length > 0 && heap[0]->due_ns <= now_ns()) {
    struct frame *frame = heap_pop();
    struct direction *d = &directions[frame->direction];
    d->pending--;
    if (d->held == frame) d->held = NULL;
    if (frame->length > 0) deliver(d, frame->bytes, frame->length);
    free(frame);
  }
}

// Milliseconds for epoll_wait: 0 to stay awake when the next frame is due soon; else the timer wakes us shortly before.
static int prepare_wait(void) {
  if (heap_length == 0) return -1;
  uint64_t wakes = heap[0]->due_ns - SPIN_NS;
  if (wakes <= now_ns()) return 0;
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(wakes / 1000000000ull), .tv_nsec = (long)(wakes % 1000000000ull)}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
  return -1;
}

static int link_index(const char *name) {
  for (int i = 0; i < link_count; i++)
    if (link_names[i] == atoi(name)) return i;
  return -1;
}

// One KEY=VALUE; 0 when it is none that we know or its value is out of range.
static int set_one(struct settings *s, const char *key, const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (*text == 0 || *end != 0 || !(value >= 0) || value > 1e18) return 0;
  struct { const char *name; uint64_t *whole; double *ratio; } fields[] = {
      {"delay_ns", &s->delay_ns, NULL},     {"jitter_ns", &s->jitter_ns, NULL}, {"rate_bps", &s->rate_bps, NULL},
      {"queue_bytes", &s->queue_bytes, NULL}, {"loss", NULL, &s->loss},         {"duplicate", NULL, &s->duplicate},
      {"reorder", NULL, &s->reorder},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (strcmp(fields[i].name, key) != 0) continue;
    if (fields[i].ratio != NULL && value > 1) return 0;
    if (fields[i].ratio != NULL) *fields[i].ratio = value;
    else *fields[i].whole = (uint64_t)value;
    return 1;
  }
  return 0;
}

static const char *set_direction(char *rest) {
  char *save, *link = strtok_r(rest, " ", &save), *way = strtok_r(NULL, " ", &save);
  int index = link == NULL ? -1 : link_index(link);
  if (index < 0) return "no such link";
  if (way == NULL || (strcmp(way, "forth") != 0 && strcmp(way, "back") != 0)) return "neither forth nor back";
  struct direction *d = &directions[2 * index + (*way == 'b')];
  struct settings next = d->settings;
  for (char *pair; (pair = strtok_r(NULL, " ", &save)) != NULL;) {
    char *equals = strchr(pair, '=');
    if (equals == NULL) return "not of the form key=value";
    *equals = 0;
    if (!set_one(&next, pair, equals + 1)) return "unknown setting or value out of range";
  }
  d->settings = next;
  // what was queued for a slower wire or a longer one goes as it was; what comes next need not wait for it
  d->free_at_ns = d->last_due_ns = 0;
  return "ok";
}

static void print_direction(FILE *out, int index) {
  struct settings *s = &directions[index].settings;
  struct counters *c = &directions[index].counters;
  fprintf(out, "%s{\"link\":%d,\"direction\":\"%s\",", index ? "," : "", link_names[index / 2], index % 2 ? "back" : "forth");
  fprintf(out, "\"settings\":{\"delayMs\":%.6g,\"jitterMs\":%.6g,\"lossRatio\":%.9g,\"duplicateRatio\":%.9g,", (double)s->delay_ns / 1e6,
          (double)s->jitter_ns / 1e6, s->loss, s->duplicate);
  fprintf(out, "\"reorderRatio\":%.9g,\"rateBitsPerSecond\":%llu,\"queueBytes\":%llu},", s->reorder,
          (unsigned long long)s->rate_bps, (unsigned long long)s->queue_bytes);
  fprintf(out, "\"counters\":{\"received\":%llu,\"receivedBytes\":%llu,\"lost\":%llu,\"overflowed\":%llu,\"duplicated\":%llu,",
          (unsigned long long)c->received, (unsigned long long)c->received_bytes, (unsigned long long)c->lost,
          (unsigned long long)c->overflowed, (unsigned long long)c->duplicated);
  fprintf(out, "\"reordered\":%llu,\"delivered\":%llu,\"deliveredBytes\":%llu,\"failed\":%llu}}",
          (unsigned long long)c->reordered, (unsigned long long)c->delivered, (unsigned long long)c->delivered_bytes,
          (unsigned long long)c->failed);
}

static void answer(int fd, char *line) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) fail("out of memory");
  if (strncmp(line, "set ", 4) == 0) {
    fputs(set_direction(line + 4), out);
  } else if (strncmp(line, "seed ", 5) == 0) {
    seed_all(strtoull(line + 5, NULL, 10));
    fputs("ok", out);
  } else if (strcmp(line, "status") == 0) {
    fputc('[', out);
    for (int i = 0; i < 2 * link_count; i++) print_direction(out, i);
    fputc(']', out);
  } else {
    fputs("unknown command", out);
  }
  fputc('\n', out);
  fclose(out);
  // an answer fits a socket's buffer; who does not read it does not get it
  (void)!send(fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  free(text);
}

static void watch(int fd, int kind, int index) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)kind << 32 | (uint32_t)index};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll: %s", strerror(errno));
}

static void accept_client(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  for (int i = 0; i < MAX_CLIENTS; i++) {
    if (clients[i].fd != 0) continue;
    clients[i].fd = fd;
    clients[i].length = 0;
    watch(fd, KIND_CLIENT, i);
    return;
  }
  close(fd);
}

static void read_client(struct client *client) {
  ssize_t got = read(client->fd, client->line + client->length, MAX_LINE - 1 - client->length);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) client->length += (size_t)got;
  client->line[client->length] = 0;
  for (char *end; got > 0 && (end = strchr(client->line, '\n')) != NULL;) {
    *end = 0;
    answer(client->fd, client->line);
    client->length -= (size_t)(end + 1 - client->line);
    memmove(client->line, end + 1, client->length + 1);
  }
  if (got > 0 && client->length < MAX_LINE - 1) return;
  close(client->fd);
  client->fd = 0;
}

// A TAP device of this name in a namespace; it goes when we do.
static int open_tap(const char *namespace, const char *device) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", namespace);
  int target = open(path, O_RDONLY | O_CLOEXEC);
  if (target < 0) fail("no namespace \"%s\": %s", namespace, strerror(errno));
  if (setns(target, CLONE_NEWNET) != 0) fail("cannot enter namespace \"%s\": %s", namespace, strerror(errno));
  close(target);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail("cannot open /dev/net/tun: %s", strerror(errno));
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  snprintf(request.ifr_name, IFNAMSIZ, "%s", device);
  if (ioctl(fd, TUNSETIFF, &request) != 0) fail("cannot make device \"%s\" in \"%s\": %s", device, namespace, strerror(errno));
  return fd;
}

static void add_link(char *text) {
  char *save, *parts[5];
  for (int i = 0; i < 5; i++)
    if ((parts[i] = strtok_r(i ? NULL : text, ":", &save)) == NULL) fail("a link is LINK:NAMESPACE:DEVICE:NAMESPACE:DEVICE");
  if (link_count == MAX_LINKS) fail("more than %d links", MAX_LINKS);
  int left = open_tap(parts[1], parts[2]), right = open_tap(parts[3], parts[4]), at = 2 * link_count;
  link_names[link_count++] = atoi(parts[0]);
  struct settings plain = {.queue_bytes = DEFAULT_QUEUE_BYTES};
  directions[at] = (struct direction){.in = left, .out = right, .settings = plain};
  directions[at + 1] = (struct direction){.in = right, .out = left, .settings = plain};
  watch(left, KIND_TAP, at);
  watch(right, KIND_TAP, at + 1);
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("too long for a socket: \"%s\"", path);
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, MAX_CLIENTS) != 0)
    fail("cannot listen at \"%s\": %s", path, strerror(errno));
  return fd;
}

static void handle(uint64_t data, int listener) {
  int kind = (int)(data >> 32), index = (int)(uint32_t)data;
  uint64_t expirations;
  char ignored[64];
  if (kind == KIND_TAP) read_tap(index);
  else if (kind == KIND_TIMER) (void)!read(timer, &expirations, sizeof expirations);
  else if (kind == KIND_LISTENER) accept_client(listener);
  else if (kind == KIND_CLIENT) read_client(&clients[index]);
  else if (read(STDIN_FILENO, ignored, sizeof ignored) == 0) exit(0);
}

// A terminal's Ctrl-C reaches us too, and it is our starter who decides when it is over. Real-time priority keeps delays
// exact beside busy programs; where it is not permitted they are a little late.
static void become_a_cable(void) {
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1);
  struct sched_param priority = {.sched_priority = 10};
  (void)!sched_setscheduler(0, SCHED_FIFO, &priority);
}

int main(int count, char **words) {
  if (count < 4) fail("usage: emulator SOCKET SEED LINK:NAMESPACE:DEVICE:NAMESPACE:DEVICE ...");
  become_a_cable();
  poller = epoll_create1(EPOLL_CLOEXEC);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (poller < 0 || timer < 0) fail("epoll, timerfd: %s", strerror(errno));
  for (int i = 3; i < count; i++) add_link(words[i]);
  seed_all(strtoull(words[2], NULL, 10));
  int listener = listen_at(words[1]);
  watch(timer, KIND_TIMER, 0);
  watch(STDIN_FILENO, KIND_STDIN, 0);
  watch(listener, KIND_LISTENER, 0);
  puts("ready");
  fflush(stdout);
  for (;;) {
    struct epoll_event events[32];
    int ready = epoll_wait(poller, events, 32, prepare_wait());
    for (int i = 0; i < ready; i++) handle(events[i].data.u64, listener);
    release_due();
  }
}
