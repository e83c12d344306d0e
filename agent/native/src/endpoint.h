// One ICMP or raw socket, without a word of JavaScript: open, send, receive in batches.
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>

enum { receive_slots = 32 };

struct endpoint_options {
  int family; /* AF_INET or AF_INET6 */
  int type;   /* SOCK_RAW, or SOCK_DGRAM for an ICMP socket without privileges */
  int protocol;
  bool is_send_only; /* whatever comes in is dropped by the kernel */
  /* ICMP types to receive: of ICMP_FILTER or ICMP6_FILTER, a set bit blocks a type; NULL: all */
  const void *filter;
  size_t filter_bytes;
};

struct arrival {
  size_t bytes;
  int64_t stamp_ns; /* kernel, CLOCK_REALTIME; 0: none */
  int hop_limit;    /* -1: not told */
  uint32_t source_v4;
  char source[INET6_ADDRSTRLEN];
};

/* The file descriptor, or a negative errno. */
int endpoint_open(const struct endpoint_options *options);

/* The identifier that the kernel gave a SOCK_DGRAM socket, or a negative errno. */
int endpoint_identifier(int fd);

struct packet {
  const uint8_t *destination; /* 4 or 16 bytes, as they stand in a packet */
  const uint8_t *bytes;
  size_t length;
  int hop_limit;
};

/* Length of an address as it stands in a packet. */
size_t address_bytes(int family);

/* The monotonic nanosecond right before the system call, or a negative errno; a multicast address is refused: EACCES. */
int64_t endpoint_send(int fd, int family, const struct packet *packet);

/*
 * Takes what the kernel holds, up to `slots` packets (at most receive_slots) of `slot_bytes` each; what is longer is cut.
 * The number of packets, 0 when there is none, or a negative errno. `dropped` counts what the kernel had no room for
 * since the socket was opened; it is left alone where the kernel says nothing.
 */
int endpoint_receive(int fd, uint8_t *bytes, size_t slot_bytes, unsigned slots, struct arrival *arrivals,
                     uint32_t *dropped);

#endif
