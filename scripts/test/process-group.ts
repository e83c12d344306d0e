import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A living process, as /proc shows it. */
export interface RunningProcess {
  readonly pid: number;
  /** Its command line, shortened to 100 characters. */
  readonly command: string;
}

const pollMs = 50;
const terminationMs = 3000;

/** The living members of a process group, after giving them `settleMs` to be gone. Zombies do not count. */
export async function groupMembers(group: number, { settleMs }: { settleMs: number }): Promise<RunningProcess[]> {
  const deadline = Date.now() + settleMs;
  for (;;) {
    const members = listGroup(group);
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
    // Nobody left in it.
  }
}

function listGroup(group: number): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isLivingMember(pid, group))
    .map((pid) => ({ pid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 100) }));
}

/** proc(5): after the parenthesised name come state, parent and process group. */
function isLivingMember(pid: number, group: number): boolean {
  const stat = readProc(pid, 'stat');
  const [state, , groupOfPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return groupOfPid === String(group) && state !== 'Z' && state !== 'X';
}

/** Contents of a file under /proc/PID; empty when the process is gone. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
