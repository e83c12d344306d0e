import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { NoDatabaseError, type RunningServer } from './errors.js';
import type { GuardianOrders } from './guardian-protocol.js';

/**
 * Checks that a server has created a database in the data directory, or is about to. Passes where the directory cannot be
 * read, which is reported when it is opened. @throws NoDatabaseError
 */
export async function checkHasDatabase(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    return null;
  });
  if (names === null || names.some((name) => /^postgres(\.new)?$/.test(name))) return;
  throw new NoDatabaseError(path.resolve(dataDir), await listServers());
}

/** Servers of this machine, by the command lines of their processes and of the guardians of their databases. */
export async function listServers(): Promise<RunningServer[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), words: text.split('\0') };
    }),
  );
  const embedded = lines.flatMap(({ words }) => {
    const orders = ordersOf(words);
    return orders?.purpose === 'server' ? [{ pid: orders.ownerPid, dataDir: orders.dataDir }] : [];
  });
  const known = new Set(embedded.map(({ pid }) => pid));
  const others = lines.filter(({ pid, words }) => isServer(words) && !known.has(pid));
  return [...embedded, ...others.map(({ pid }) => ({ pid, dataDir: null }))];
}

function isServer(words: readonly string[]): boolean {
  return words.some((word, index) => /(^|\/)vantage-control(\.js)?$/.test(word) && words[index + 1] === 'serve');
}

/** Orders of a guardian, from its command line; null if the process is none. */
function ordersOf(words: readonly string[]): GuardianOrders | null {
  const at = words.findIndex((word) => /(^|\/)guardian\.js$/.test(word));
  if (at === -1) return null;
  try {
    return JSON.parse(words[at + 1] ?? '');
  } catch {
    return null;
  }
}
