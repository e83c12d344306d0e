import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A living process, as /proc shows it. */
export interface RunningProcess {
  readonly pid: number;
  /** Command line, shortened to 100 characters. */
  readonly command: string;
}

const pollMs = 50;
const terminationMs = 3000;

/** The living members of a process group but `except`, after giving them `settleMs` to be gone. Those that are ending do not count. */
export async function groupMembers(
  group: number,
  { settleMs, except }: { settleMs: number; except?: number | undefined },
): Promise<RunningProcess[]> {
  const deadline = Date.now() + settleMs;
  for (;;) {
    const members = livingMembers(group)
      .filter(({ pid }) => pid !== except)
      .map(({ pid }) => ({ pid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 100) }))
      // one without a command line has given up its memory and is ending: it runs no code any more
      .filter(({ command }) => command !== '');
    if (members.length === 0 || Date.now() >= deadline) return members;
    await delay(pollMs);
  }
}

/** Ends a process group: SIGTERM, and SIGKILL for what is still there three seconds later. */
export async function endGroup(group: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  const stubborn = await groupMembers(group, { settleMs: terminationMs });
  if (stubborn.length > 0) signalGroup(group, 'SIGKILL');
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group is empty.
  }
}

/**
 * Ends what a test left running, for nothing may outlive its test: every member of its group but `except`.
 * @returns what it was
 */
export async function leftOver(group: number | undefined, except?: number): Promise<string | null> {
  if (group === undefined) return null;
  const members = await groupMembers(group, { settleMs: 1000, except });
  if (members.length === 0) return null;
  await endGroup(group);
  return `left processes running: ${members.map(({ pid, command }) => `${pid} ${command}`).join(', ')}`;
}

/** CPU time of the living members of a group and of the children they have waited for, in milliseconds. */
export function groupCpuMs(group: number | undefined): number {
  if (group === undefined) return 0;
  return livingMembers(group).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

const meterMs = 1000;

/** CPU time of a process group that is about to end, up to a second before that. Must be stopped. */
export class CpuMeter {
  cpuMs = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(group: number | undefined) {
    // a child that was not waited for is not part of the sum
    this.#timer = setInterval(() => {
      this.cpuMs = Math.max(this.cpuMs, groupCpuMs(group));
    }, meterMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function livingMembers(group: number): { pid: number; cpuMs: number }[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    const stat = readStat(Number(name));
    return stat !== null && stat.group === group && !['Z', 'X'].includes(stat.state)
      ? [{ pid: Number(name), cpuMs: stat.cpuMs }]
      : [];
  });
}

const msPerTick = 10;

/**
 * proc(5): after the parenthesised name come state, parent and process group, and later four times in ticks: user and
 * system, its own and that of the children it has waited for. Null if there is no such process.
 */
function readStat(pid: number): { state: string; group: number; cpuMs: number } | null {
  const stat = readProc(pid, 'stat');
  const [state, , group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || group === undefined) return null;
  const cpuMs = rest.slice(8, 12).reduce((sum, ticks) => sum + Number(ticks) * msPerTick, 0);
  return { state, group: Number(group), cpuMs };
}

/** Contents of a file under /proc/PID; empty when the process is gone. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
