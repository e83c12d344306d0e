// The lab's small internet:
//
//   agent ──1── r1 ──2── r2 ──3── r3 ──4── far        link n: 25.80.n.0/24 and 2d00:80:n::/64, left .1, right .2
//                └──5── r2b ──6──┘                    only with `ecmp`: two equal roads from r1 to r3
//
// The addresses are public on the real internet, so the target policy permits probes of them. Nothing leaves the
// namespaces, which have no route to any other network.

/** The machines of a lab; `r2b` is there only with `ecmp`. */
export const hosts = ['agent', 'r1', 'r2', 'r2b', 'r3', 'far'] as const;
/** One of them. */
export type Host = (typeof hosts)[number];

/** Direction through a link: `forth` is from its left end to its right one, away from the agent. */
export type Direction = 'forth' | 'back';

/** A cable; its devices are called `linkN` at both ends. */
export interface Link {
  readonly number: number;
  readonly left: Host;
  readonly right: Host;
}

const row: readonly Link[] = [
  { number: 1, left: 'agent', right: 'r1' },
  { number: 2, left: 'r1', right: 'r2' },
  { number: 3, left: 'r2', right: 'r3' },
  { number: 4, left: 'r3', right: 'far' },
];
const detour: readonly Link[] = [
  { number: 5, left: 'r1', right: 'r2b' },
  { number: 6, left: 'r2b', right: 'r3' },
];

/** Own addresses of the services on `far`, by the last part of both families: 25.80.10.X and 2d00:80:10::X. */
export const services = {
  web: 10,
  legacy: 11,
  tls12: 12,
  tls13: 13,
  mail: 25,
  root: 53,
  resolver: 54,
  tld: 55,
  zone: 56,
  /** Another server in the network of `zone`. */
  second: 57,
  hostile: 66,
  /** Answers echo requests from another address. */
  impostor: 67,
  /** Answers echo requests with another identifier. */
  stranger: 68,
  time: 123,
} as const;
/** One of them. */
export type Service = keyof typeof services;

/** Treatment of packets to unused addresses behind `far`. */
export const nowhere = {
  /** Reply: host unreachable, like for all unassigned addresses. */
  unreachable: { v4: '25.80.10.0/24', v6: '2d00:80:10::/64' },
  /** Swallowed without a word. */
  silent: { v4: '25.80.11.0/24', v6: '2d00:80:11::/64' },
  /** Answered: administratively prohibited. */
  prohibited: { v4: '25.80.12.0/24', v6: '2d00:80:12::/64' },
} as const;

/** Address and IPv6 address of a service on `far`. */
export function serviceAddresses(service: Service): { readonly v4: string; readonly v6: string } {
  return { v4: `25.80.10.${services[service]}`, v6: `2d00:80:10::${services[service]}` };
}

/** Address and IPv6 address of a link's end. */
export function linkAddresses(number: number, end: 'left' | 'right'): { readonly v4: string; readonly v6: string } {
  const host = end === 'left' ? 1 : 2;
  return { v4: `25.80.${number}.${host}`, v6: `2d00:80:${number}::${host}` };
}

/** The cables of a lab. */
export function linksOf(hasDetour: boolean): readonly Link[] {
  return hasDetour ? [...row, ...detour] : row;
}

/** The machines of a lab. */
export function hostsOf(hasDetour: boolean): readonly Host[] {
  return hosts.filter((host) => hasDetour || host !== 'r2b');
}

/**
 * Kernel settings of every machine, as a shell script. Routers answer every packet: their limits are per destination and
 * second, and tests are quicker. (One limit stays: five IPv4 packets without a route in five seconds.) An address is
 * usable at once, because no other host has it. Connections are measured each on its own: nothing is remembered of the
 * last one.
 */
export const settingsScript = [
  ['ipv4/ip_forward', 1],
  ['ipv6/conf/all/forwarding', 1],
  ['ipv4/icmp_ratemask', 0],
  ['ipv6/icmp/ratelimit', 0],
  ['ipv6/conf/default/accept_dad', 0],
  ['ipv4/conf/all/rp_filter', 0],
  ['ipv4/conf/default/rp_filter', 0],
  ['ipv4/tcp_no_metrics_save', 1],
  ['ipv4/fib_multipath_hash_policy', 1],
  ['ipv6/fib_multipath_hash_policy', 1],
]
  .map(([key, value]) => `echo ${value} > /proc/sys/net/${key}`)
  .join('\n');

/** Commands for `ip -batch` that give a machine its addresses, neighbours and routes; its devices exist. */
export function networkCommands(host: Host, hasDetour: boolean): string[] {
  const ends = linksOf(hasDetour).flatMap((link) => {
    if (link.left === host) return endCommands(link.number, 'left');
    return link.right === host ? endCommands(link.number, 'right') : [];
  });
  return ['link set lo up', ...ends, ...routes(host, hasDetour), ...(host === 'far' ? farCommands() : [])];
}

/** One end of a cable. It knows its neighbour: the first question for one can get lost, and would be counted. */
function endCommands(number: number, end: 'left' | 'right'): string[] {
  const otherEnd = end === 'left' ? 'right' : 'left';
  const [own, other] = [linkAddresses(number, end), linkAddresses(number, otherEnd)];
  const device = `link${number}`;
  return [
    `link set ${device} address ${mac(number, end)} txqueuelen 10000`,
    `addr add ${own.v4}/24 dev ${device}`,
    `addr add ${own.v6}/64 dev ${device} nodad`,
    `link set ${device} up`,
    `neigh add ${other.v4} lladdr ${mac(number, otherEnd)} dev ${device} nud permanent`,
    `neigh add ${other.v6} lladdr ${mac(number, otherEnd)} dev ${device} nud permanent`,
  ];
}

function mac(number: number, end: 'left' | 'right'): string {
  return `02:00:00:00:0${number}:0${end === 'left' ? 1 : 2}`;
}

function routes(host: Host, hasDetour: boolean): string[] {
  const to = (number: number, end: 'left' | 'right') => linkAddresses(number, end);
  switch (host) {
    case 'agent':
      return defaultRoute([to(1, 'right')]);
    case 'r1':
      return defaultRoute(hasDetour ? [to(2, 'right'), to(5, 'right')] : [to(2, 'right')]);
    case 'r2':
      return [...defaultRoute([to(3, 'right')]), ...route(1, to(2, 'left'))];
    case 'r2b':
      return [...defaultRoute([to(6, 'right')]), ...route(1, to(5, 'left'))];
    case 'r3':
      return [...defaultRoute([to(4, 'right')]), ...[1, 2].flatMap((number) => route(number, to(3, 'left')))].concat(
        hasDetour ? route(5, to(6, 'left')) : [],
      );
    case 'far':
      // without a default route: packets to unassigned addresses would loop
      return [1, 2, 3, ...(hasDetour ? [5, 6] : [])].flatMap((number) => route(number, to(4, 'left')));
  }
}

type Gateway = ReturnType<typeof linkAddresses>;

function defaultRoute(gateways: readonly Gateway[]): string[] {
  const hops = (family: 'v4' | 'v6') => gateways.map((gateway) => `nexthop via ${gateway[family]}`).join(' ');
  return [`route add default ${hops('v4')}`, `route add default ${hops('v6')}`];
}

function route(number: number, gateway: Gateway): string[] {
  return [`route add 25.80.${number}.0/24 via ${gateway.v4}`, `route add 2d00:80:${number}::/64 via ${gateway.v6}`];
}

function farCommands(): string[] {
  const fates = { unreachable: 'unreachable', silent: 'blackhole', prohibited: 'prohibit' } as const;
  const own = Object.keys(services).map((service) => serviceAddresses(service as Service));
  return [
    ...own.flatMap(({ v4, v6 }) => [`addr add ${v4}/32 dev lo`, `addr add ${v6}/128 dev lo nodad`]),
    'route add unreachable 0.0.0.0/0',
    'route add unreachable ::/0',
    ...Object.entries(fates).flatMap(([fate, type]) => {
      const { v4, v6 } = nowhere[fate as keyof typeof nowhere];
      return [`route add ${type} ${v4}`, `route add ${type} ${v6}`];
    }),
  ];
}
