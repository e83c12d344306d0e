/** One prefix no probe may touch, and what it is. */
export interface RefusedRange {
  readonly cidr: string;
  readonly what: string;
}

// IANA special-purpose registries (RFC 6890, RFC 8190) plus addresses at which clouds serve secrets. A narrower entry
// comes before the wider one that contains it, because the first match gives the reason.

/** IPv4 addresses that are refused; everything else is allowed. */
export const refusedIPv4: readonly RefusedRange[] = [
  { cidr: '169.254.169.254/32', what: 'cloud metadata' },
  { cidr: '169.254.170.2/32', what: 'cloud metadata' },
  { cidr: '100.100.100.200/32', what: 'cloud metadata' },
  { cidr: '192.0.0.192/32', what: 'cloud metadata' },
  { cidr: '168.63.129.16/32', what: 'cloud metadata' },
  { cidr: '0.0.0.0/8', what: 'this network, RFC 791' },
  { cidr: '10.0.0.0/8', what: 'private use, RFC 1918' },
  { cidr: '100.64.0.0/10', what: 'shared address space, RFC 6598' },
  { cidr: '127.0.0.0/8', what: 'loopback, RFC 1122' },
  { cidr: '169.254.0.0/16', what: 'link local, RFC 3927' },
  { cidr: '172.16.0.0/12', what: 'private use, RFC 1918' },
  { cidr: '192.0.0.0/24', what: 'IETF protocol assignments, RFC 6890' },
  { cidr: '192.0.2.0/24', what: 'documentation, RFC 5737' },
  { cidr: '192.31.196.0/24', what: 'AS112, RFC 7535' },
  { cidr: '192.52.193.0/24', what: 'AMT, RFC 7450' },
  { cidr: '192.88.99.0/24', what: '6to4 relays, RFC 7526' },
  { cidr: '192.168.0.0/16', what: 'private use, RFC 1918' },
  { cidr: '192.175.48.0/24', what: 'AS112, RFC 7534' },
  { cidr: '198.18.0.0/15', what: 'benchmarking, RFC 2544' },
  { cidr: '198.51.100.0/24', what: 'documentation, RFC 5737' },
  { cidr: '203.0.113.0/24', what: 'documentation, RFC 5737' },
  { cidr: '224.0.0.0/4', what: 'multicast, RFC 5771' },
  { cidr: '240.0.0.0/4', what: 'reserved, RFC 1112' },
];

/** IPv6 addresses that are refused: all outside 2000::/3, and what is special inside. */
export const refusedIPv6: readonly RefusedRange[] = [
  { cidr: 'fd00:ec2::254/128', what: 'cloud metadata' },
  { cidr: '::/128', what: 'unspecified, RFC 4291' },
  { cidr: '::1/128', what: 'loopback, RFC 4291' },
  { cidr: '64:ff9b::/96', what: 'NAT64, RFC 6052' },
  { cidr: 'fc00::/7', what: 'unique local, RFC 4193' },
  { cidr: 'fe80::/10', what: 'link local, RFC 4291' },
  { cidr: 'ff00::/8', what: 'multicast, RFC 4291' },
  { cidr: '2001::/23', what: 'IETF protocol assignments, RFC 2928' },
  { cidr: '2001:db8::/32', what: 'documentation, RFC 3849' },
  { cidr: '2002::/16', what: '6to4, RFC 3056' },
  { cidr: '2620:4f:8000::/48', what: 'AS112, RFC 7534' },
  { cidr: '3fff::/20', what: 'documentation, RFC 9637' },
  { cidr: '::/3', what: 'not global unicast, RFC 4291' },
  { cidr: '4000::/2', what: 'not global unicast, RFC 4291' },
  { cidr: '8000::/1', what: 'not global unicast, RFC 4291' },
];

/** Networks whose names and addresses their owners give out (RFC 1918, RFC 6598, RFC 4193). */
export const privateNetworks: readonly string[] = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];
