#include "endpoint.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's default holds some 270 small packets, a stall of 60 ms at full speed. */
static const int wanted_receive_bytes = 4 * 1024 * 1024;

static int enable(int fd, int level, int option) {
  const int on = 1;
  return setsockopt(fd, level, option, &on, sizeof on);
}

static int drop_everything(int fd) {
  struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  const struct sock_fprog program = {.len = 1, .filter = &drop};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static int set_filter(int fd, const struct endpoint_options *options) {
  if (options->filter == NULL || options->type != SOCK_RAW) return 0;
  const bool is_v4 = options->family == AF_INET;
  const size_t wanted = is_v4 ? sizeof(struct icmp_filter) : sizeof(struct icmp6_filter);
  if (options->filter_bytes != wanted) {
    errno = EINVAL;
    return -1;
  }
  return setsockopt(fd, is_v4 ? SOL_RAW : IPPROTO_ICMPV6, is_v4 ? ICMP_FILTER : ICMP6_FILTER, options->filter,
                    (socklen_t)wanted);
}

static int set_receiving(int fd, const struct endpoint_options *options) {
  if (set_filter(fd, options) < 0) return -1;
  if (enable(fd, SOL_SOCKET, SO_TIMESTAMPNS) < 0) return -1;
  /* the first needs CAP_NET_ADMIN, the second ends at net.core.rmem_max; neither is worth a failure */
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted_receive_bytes, sizeof wanted_receive_bytes) < 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted_receive_bytes, sizeof wanted_receive_bytes);
  enable(fd, SOL_SOCKET, SO_RXQ_OVFL);
  return options->family == AF_INET ? enable(fd, IPPROTO_IP, IP_RECVTTL)
                                    : enable(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT);
}

/* A SOCK_DGRAM socket gets its identifier when it is bound. */
static int bind_anywhere(int fd, int family) {
  struct sockaddr_storage any;
  memset(&any, 0, sizeof any);
  any.ss_family = (sa_family_t)family;
  return bind(fd, (struct sockaddr *)&any,
              family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
}

int endpoint_open(const struct endpoint_options *options) {
  const int fd = socket(options->family, options->type | SOCK_NONBLOCK | SOCK_CLOEXEC, options->protocol);
  if (fd < 0) return -errno;
  const bool is_ready = (options->is_send_only ? drop_everything(fd) : set_receiving(fd, options)) == 0 &&
                        (options->type != SOCK_DGRAM || bind_anywhere(fd, options->family) == 0);
  if (is_ready) return fd;
  const int error = errno;
  close(fd);
  return -error;
}

int endpoint_identifier(int fd) {
  struct sockaddr_storage own;
  socklen_t own_bytes = sizeof own;
  if (getsockname(fd, (struct sockaddr *)&own, &own_bytes) < 0) return -errno;
  return ntohs(own.ss_family == AF_INET ? ((struct sockaddr_in *)&own)->sin_port
                                        : ((struct sockaddr_in6 *)&own)->sin6_port);
}
