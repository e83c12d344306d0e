import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Ability that the machine permits or denies, regardless of who runs the tests. */
interface AbilityDefinition {
  /** Behind "needs". */
  readonly says: string;
  /** Found out by trying. */
  isThere(): boolean;
}

const OWN_FILE = fileURLToPath(import.meta.url);
const openRawSocket = 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)';

/** The one list of requirements of tests other than programs. */
export const abilities = {
  root: { says: 'root', isThere: () => process.getuid?.() === 0 },
  'a checkout for every user': {
    says: 'root, and a checkout that every user may read: one under /root is none',
    isThere: () =>
      process.getuid?.() === 0 && succeeds('setpriv', '--reuid=65534', '--clear-groups', 'test', '-r', OWN_FILE),
  },
  'permission to mount': {
    says: 'root, and permission to mount file systems',
    isThere: () => process.getuid?.() === 0 && succeeds('unshare', '--mount', 'true'),
  },
  'permission to create networks': {
    says: 'root, and permission to create network namespaces',
    isThere: () => succeeds('unshare', '--net', 'true'),
  },
  'permission to create control groups': {
    says: 'root, and control groups (/sys/fs/cgroup) that may be written',
    isThere: () => process.getuid?.() === 0 && controlGroupsAreWritable() && succeeds('unshare', '--cgroup', 'true'),
  },
  'raw sockets': { says: 'root or CAP_NET_RAW', isThere: () => succeeds('python3', '-c', openRawSocket) },
  'permission to trace': {
    says: 'permission to trace processes',
    isThere: () => succeeds('strace', '-qqq', '-o', '/dev/null', 'true'),
  },
  'TAP devices': { says: 'TAP devices (/dev/net/tun)', isThere: () => existsSync('/dev/net/tun') },
} as const satisfies Readonly<Record<string, AbilityDefinition>>;

/** One of them. */
export type Ability = keyof typeof abilities;

function controlGroupsAreWritable(): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').matchAll(/^\S+ (\S+) cgroup2? /gm);
  const hierarchies = [...mounts].map(([, path = '']) => path);
  return hierarchies.length > 0 && hierarchies.every(isWritable);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
