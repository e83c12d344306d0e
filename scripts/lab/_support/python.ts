import { createInterface } from 'node:readline';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import type { Lab } from '../lab.js';
import type { Host } from '../topology.js';

/** A Python program on a machine of the lab, so that nothing of ours makes what ours is to read. */
export interface PythonProgram {
  readonly host: Host;
  /** Prints "ready" when it is. */
  readonly source: string;
  readonly args?: readonly string[];
}

/**
 * Starts a program and waits until it is ready; it ends with the test.
 * @returns the lines it has printed since, which grow
 */
export async function startPython(
  t: Test,
  lab: Lab,
  { host, source, args = [] }: PythonProgram,
): Promise<readonly string[]> {
  const child = lab.spawn(host, ['python3', '-c', source, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  t.teardown(() => {
    child.kill();
    return ended;
  });
  if (child.stdout === null) throw new TypeError('no pipe');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until('the program is ready', () => lines[0] === 'ready' || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`a program on "${host}" ended before it was ready`);
  lines.shift();
  return lines;
}

/** Keeps the kernel of `far` from answering echo requests until the test ends. */
export async function silenceEchoes(t: Test, lab: Lab): Promise<void> {
  const set = (value: 0 | 1) => {
    const files = ['/proc/sys/net/ipv4/icmp_echo_ignore_all', '/proc/sys/net/ipv6/icmp/echo_ignore_all'];
    return lab.exec('far', 'sh', '-ec', files.map((file) => `echo ${value} > ${file}`).join('; '));
  };
  await set(1);
  t.teardown(() => set(0));
}
