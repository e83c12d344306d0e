#define _GNU_SOURCE /* recvmmsg */
#include "endpoint.h"
#include "clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

size_t address_bytes(int family) {
  return family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
}

/* The length of the address, or a negative errno: a multicast address is one nobody may send to. */
static int read_destination(const struct packet *packet, int family, struct sockaddr_storage *to) {
  memset(to, 0, sizeof(struct sockaddr_in6));
  to->ss_family = (sa_family_t)family;
  if (family == AF_INET) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)to;
    memcpy(&v4->sin_addr, packet->destination, sizeof v4->sin_addr);
    return IN_MULTICAST(ntohl(v4->sin_addr.s_addr)) ? -EACCES : (int)sizeof *v4;
  }
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
  memcpy(&v6->sin6_addr, packet->destination, sizeof v6->sin6_addr);
  return IN6_IS_ADDR_MULTICAST(&v6->sin6_addr) ? -EACCES : (int)sizeof *v6;
}

int64_t endpoint_send(int fd, int family, const struct packet *packet) {
  const bool is_v4 = family == AF_INET;
  struct sockaddr_storage destination;
  const int destination_bytes = read_destination(packet, family, &destination);
  if (destination_bytes < 0) return destination_bytes;
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  control.header.cmsg_level = is_v4 ? IPPROTO_IP : IPPROTO_IPV6;
  control.header.cmsg_type = is_v4 ? IP_TTL : IPV6_HOPLIMIT;
  control.header.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.header), &packet->hop_limit, sizeof(int));
  struct iovec part = {.iov_base = (void *)packet->bytes, .iov_len = packet->length};
  const struct msghdr message = {.msg_name = &destination,
                                 .msg_namelen = (socklen_t)destination_bytes,
                                 .msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
  for (;;) {
    const int64_t at = monotonic_ns();
    if (sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return at;
    if (errno != EINTR) return -errno;
  }
}

static int64_t stamp_of(const struct cmsghdr *header) {
  struct timespec stamp;
  if (header->cmsg_len < CMSG_LEN(sizeof stamp)) return 0;
  memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
  return (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
}

static int int_of(const struct cmsghdr *header) {
  int value;
  if (header->cmsg_len < CMSG_LEN(sizeof value)) return -1;
  memcpy(&value, CMSG_DATA(header), sizeof value);
  return value;
}

static void read_control(struct msghdr *message, struct arrival *arrival, uint32_t *dropped) {
  arrival->stamp_ns = 0;
  arrival->hop_limit = -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS) arrival->stamp_ns = stamp_of(header);
    else if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_RXQ_OVFL) *dropped = (uint32_t)int_of(header);
    else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TTL) arrival->hop_limit = int_of(header);
    else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_HOPLIMIT)
      arrival->hop_limit = int_of(header);
  }
}

static void read_source(const struct sockaddr_storage *from, struct arrival *arrival) {
  arrival->source_v4 = 0;
  *arrival->source = '\0';
  if (from->ss_family == AF_INET) arrival->source_v4 = ntohl(((const struct sockaddr_in *)from)->sin_addr.s_addr);
  else if (from->ss_family == AF_INET6)
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)from)->sin6_addr, arrival->source, sizeof arrival->source);
}

int endpoint_receive(int fd, uint8_t *bytes, size_t slot_bytes, unsigned slots, struct arrival *arrivals,
                     uint32_t *dropped) {
  struct mmsghdr messages[receive_slots];
  struct iovec parts[receive_slots];
  struct sockaddr_storage sources[receive_slots];
  union {
    struct cmsghdr header;
    char bytes[128];
  } controls[receive_slots];
  if (slots > receive_slots) slots = receive_slots;
  for (unsigned slot = 0; slot < slots; slot += 1) {
    parts[slot] = (struct iovec){.iov_base = bytes + slot * slot_bytes, .iov_len = slot_bytes};
    sources[slot].ss_family = AF_UNSPEC;
    messages[slot].msg_hdr = (struct msghdr){.msg_name = &sources[slot],
                                             .msg_namelen = sizeof sources[slot],
                                             .msg_iov = &parts[slot],
                                             .msg_iovlen = 1,
                                             .msg_control = &controls[slot],
                                             .msg_controllen = sizeof controls[slot]};
  }
  int count;
  do count = recvmmsg(fd, messages, slots, MSG_DONTWAIT, NULL);
  while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  for (int slot = 0; slot < count; slot += 1) {
    arrivals[slot].bytes = messages[slot].msg_len;
    read_control(&messages[slot].msg_hdr, &arrivals[slot], dropped);
    read_source(&sources[slot], &arrivals[slot]);
  }
  return count;
}
