// A small internet of network namespaces, one chain per test file:
//
//   a ---------- r1 ---------- r2 ---------- b        10.71.1.0/24, 10.71.2.0/24, 10.71.3.0/24
//     .1      .2    .1      .2    .1      .2          fd71:1::/64,  fd71:2::/64,  fd71:3::/64
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { until } from './until.js';

const run = promisify(execFile);

/** The four machines of a chain, from the one that probes to the one that is probed. */
export const nodes = ['a', 'r1', 'r2', 'b'] as const;
/** One of the four. */
export type NodeName = (typeof nodes)[number];

/** Addresses of the target, and of a neighbour of it that does not exist. */
export const chainAddresses = {
  v4: { r1: '10.71.1.2', r2: '10.71.2.2', b: '10.71.3.2', nobody: '10.71.3.99' },
  v6: { r1: 'fd71:1::2', r2: 'fd71:2::2', b: 'fd71:3::2', nobody: 'fd71:3::99' },
} as const;

/** What a probe inside a chain may aim at. */
const allowed = ['10.71.0.0/16', 'fd71::/16'];

/** A target and what differs from the default parameters. */
export interface ProbeRequest<T extends 'ping' | 'traceroute'> {
  readonly target: string;
  readonly params?: Partial<ProbeSpecs[T]['params']>;
}

/** Four machines in a row. */
export interface Chain {
  /** Runs a program inside one machine and returns what it printed. */
  exec(node: NodeName, ...command: string[]): Promise<string>;
  /** Starts a Node program inside a machine, which prints a line when it is ready; to be stopped before `remove`. */
  start(node: NodeName, script: URL, ...args: string[]): Promise<RunningScript>;
  /** Deletes all of it. */
  remove(): Promise<void>;
}

/** A Node program inside a machine. */
export interface RunningScript {
  write(line: string): void;
  /** Lines it has printed since it was ready. */
  lines(): readonly string[];
  stop(): Promise<void>;
}

/** The agent's own engines, in one process inside a chain. */
export interface Prober {
  /** Runs probes side by side; the results are in the order of the requests. */
  probe<T extends 'ping' | 'traceroute'>(type: T, requests: readonly ProbeRequest<T>[]): Promise<ProbeResults[T][]>;
  stop(): Promise<void>;
}

/** Starts a prober inside machine `a`; to be stopped before the chain is removed. */
export async function startProber(chain: Chain): Promise<Prober> {
  const script = await chain.start('a', new URL('./prober.js', import.meta.url), JSON.stringify(allowed));
  let lastId = 0;
  return {
    async probe(type, requests) {
      const ids = requests.map(({ target, params = {} }) => {
        lastId += 1;
        script.write(JSON.stringify({ id: lastId, type, target, params }));
        return lastId;
      });
      const answers = () => script.lines().map((line) => JSON.parse(line));
      await until('all results', () => answers().filter(({ id }) => ids.includes(id)).length === ids.length);
      return ids.map((id) => answers().find((answer) => answer.id === id).result);
    },
    stop: () => script.stop(),
  };
}

/** Why namespaces cannot be made here, for a test's `skip`; false where they can, and under CI, where nothing is skipped. */
export async function missingForNamespaces(): Promise<string | false> {
  if (process.env['CI'] === 'true') return false;
  if (process.getuid?.() !== 0) return 'needs root to make network namespaces';
  const probe = `vt-${process.pid}-probe`;
  try {
    await run('ip', ['netns', 'add', probe]);
    await run('ip', ['netns', 'del', probe]);
    return false;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 'needs the Debian package iproute2' : 'needs permission to make network namespaces';
  }
}

/** Makes a chain whose names no other process has. */
export async function makeChain(): Promise<Chain> {
  const nameOf = (node: NodeName) => `vt-${process.pid}-${node}`;
  const exec = async (node: NodeName, ...command: string[]) =>
    (await run('ip', ['netns', 'exec', nameOf(node), ...command])).stdout;
  const remove = async () => {
    for (const node of nodes) await run('ip', ['netns', 'del', nameOf(node)]).catch(() => {});
  };
  try {
    for (const node of nodes) await run('ip', ['netns', 'add', nameOf(node)]);
    for (const node of nodes) await exec(node, 'sh', '-ec', settingsScript);
    for (const [index, node] of nodes.entries()) await exec(node, 'sh', '-ec', setupScript(index, nodes.map(nameOf)));
    for (const node of nodes) await exec(node, 'sh', '-ec', routeScript(node));
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    exec,
    remove,
    start: (node, script, ...args) =>
      startReady('ip', ['netns', 'exec', nameOf(node), process.execPath, fileURLToPath(script), ...args]),
  };
}

// Routers answer every packet: their limits are per destination and second, and the tests are quicker than that. (One limit
// stays: five IPv4 packets without a route in five seconds.) And an address is usable at once: nobody else has the same.
const settingsScript = [
  ['ipv4/ip_forward', 1],
  ['ipv6/conf/all/forwarding', 1],
  ['ipv4/icmp_ratemask', 0],
  ['ipv6/icmp/ratelimit', 0],
  ['ipv6/conf/default/accept_dad', 0],
]
  .map(([key, value]) => `echo ${value} > /proc/sys/net/${key}`)
  .join('\n');

/** Links and addresses of one machine: a cable to the next one, made by the left of the two. */
function setupScript(index: number, names: readonly string[]): string {
  const next = names[index + 1];
  const net = index + 1;
  const cable = `ip link add right address ${mac(net, 1)} type veth peer name left address ${mac(net, 2)} netns ${next}`;
  return [
    'ip link set lo up',
    ...(next === undefined ? [] : [cable, ...sideCommands('right', net, 1)]),
    ...(index === 0 ? [] : sideCommands('left', index, 2)),
  ].join('\n');
}

/** One end of a cable. It knows its neighbour: the first question for one can get lost while a cable comes up. */
function sideCommands(device: string, net: number, host: 1 | 2): string[] {
  const other = host === 1 ? 2 : 1;
  return [
    `ip addr add 10.71.${net}.${host}/24 dev ${device}`,
    `ip addr add fd71:${net}::${host}/64 dev ${device} nodad`,
    `ip link set ${device} up`,
    `ip neigh add 10.71.${net}.${other} lladdr ${mac(net, other)} dev ${device} nud permanent`,
    `ip neigh add fd71:${net}::${other} lladdr ${mac(net, other)} dev ${device} nud permanent`,
  ];
}

function mac(net: number, host: number): string {
  return `02:00:00:00:0${net}:0${host}`;
}

function routeScript(node: NodeName): string {
  switch (node) {
    case 'a':
      return 'ip route add default via 10.71.1.2\nip -6 route add default via fd71:1::2';
    case 'r1':
      return 'ip route add 10.71.3.0/24 via 10.71.2.2\nip -6 route add fd71:3::/64 via fd71:2::2';
    case 'r2':
      return 'ip route add 10.71.1.0/24 via 10.71.2.1\nip -6 route add fd71:1::/64 via fd71:2::1';
    case 'b':
      return 'ip route add default via 10.71.3.1\nip -6 route add default via fd71:3::1';
  }
}

/** Resolves when the program has printed its first line; rejects when it ends before. */
function startReady(command: string, args: readonly string[]): Promise<RunningScript> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      resolve({
        write: (line) => child.stdin.write(`${line}\n`),
        lines: () => output.split('\n').slice(1, -1),
        stop: () => {
          child.kill();
          return ended;
        },
      });
    });
    void ended.then(() => reject(new Error(`"${args.join(' ')}" ended before it was ready`)));
  });
}
