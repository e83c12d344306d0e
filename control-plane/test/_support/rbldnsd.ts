import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demand } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { temporaryDirectory } from './temporary-directory.js';

const PORT = 5_300;

/** A zone of rbldnsd: the type of its data set, and the lines of it. */
export interface Zone {
  readonly type: 'ip4set' | 'ip6trie' | 'generic';
  readonly lines: readonly string[];
}

/**
 * Starts Debian's rbldnsd with these zones on an address of its own, since it takes only fixed ports; killed with the test.
 * Returns `address:port`.
 */
export async function startRbldnsd(t: Test, zones: Readonly<Record<string, Zone>>): Promise<string> {
  demand('rbldnsd');
  const directory = temporaryDirectory(t);
  // it runs as a user of its own
  chmodSync(directory, 0o755);
  const data = Object.entries(zones).map(([name, { type, lines }]) => {
    writeFileSync(path.join(directory, name), `${lines.join('\n')}\n`);
    return `${name}:${type}:${name}`;
  });
  const address = `127.${randomInt(100, 200)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const child = spawn('rbldnsd', ['-n', '-b', `${address}/${PORT}`, '-w', directory, ...data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  t.teardown(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await until('rbldnsd to be ready', () => /rbldnsd .*started/.test(log) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`rbldnsd ended: ${log}`);
  return `${address}:${PORT}`;
}
