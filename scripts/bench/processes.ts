import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** A process and everything it started, by /proc. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree: number[] = [];
  for (let queue = [pid]; queue.length > 0; queue = queue.flatMap((one) => children.get(one) ?? []))
    tree.push(...queue);
  return tree;
}

/** Resident memory of a process tree in megabytes: the sum, and with shared pages counted once per sharer. */
export function memoryOf(pid: number): { readonly rssMb: number; readonly pssMb: number } {
  return memoryOfAll(processTree(pid));
}

/** Resident memory of these processes together in megabytes. */
export function memoryOfAll(pids: readonly number[]): { readonly rssMb: number; readonly pssMb: number } {
  let rssKb = 0;
  let pssKb = 0;
  for (const one of pids) {
    const text = read(`/proc/${one}/smaps_rollup`);
    rssKb += Number(/^Rss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    pssKb += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  }
  return { rssMb: rssKb / 1024, pssMb: pssKb / 1024 };
}

/** CPU seconds a process tree has used, with the children that ended and were waited for, so that it never falls. */
export function cpuSecondsOf(pid: number): number {
  return sum(processTree(pid).map((one) => ticksOf(one, 11, 15))) / TICKS_PER_SECOND;
}

/** CPU seconds a process alone has used, all its threads. */
export function ownCpuSecondsOf(pid: number): number {
  return ticksOf(pid, 11, 13) / TICKS_PER_SECOND;
}

/** Voluntary and involuntary context switches of the threads of a process that live (proc_pid_status(5)). */
function contextSwitchesOf(pid: number): number {
  const statuses = threadsOf(pid).map((thread) => read(`/proc/${pid}/task/${thread}/status`));
  const counts = statuses.flatMap((text) => [...text.matchAll(/^(?:non)?voluntary_ctxt_switches:\s+(\d+)/gm)]);
  return sum(counts.map(([, count]) => Number(count)));
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** User and system time are the fields 11 and 12, those of children that were waited for 13 and 14 (proc_pid_stat(5)). */
function ticksOf(pid: number, from: number, to: number): number {
  return sum(afterName(pid).slice(from, to).map(Number));
}

/** Idle and total CPU seconds of the machine since it started. */
export function machineCpu(): { readonly idle: number; readonly total: number } {
  const [, ...fields] = (read('/proc/stat').split('\n')[0] ?? '').split(/\s+/).map(Number);
  return {
    idle: (fields[3] ?? 0) / TICKS_PER_SECOND,
    total: sum(fields) / TICKS_PER_SECOND,
  };
}

function parentOf(pid: number): number | null {
  const parent = Number(afterName(pid)[1]);
  return Number.isNaN(parent) ? null : parent;
}

/** Fields of /proc/PID/stat after the parenthesised name, which may hold anything. */
function afterName(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** CPU time and context switches of processes since they started. */
export interface Usage {
  readonly cpuSeconds: number;
  /** Voluntary and involuntary, of all threads that live. */
  readonly switches: number;
}

/** Usage of these processes alone, without their children. */
export function usageOf(pids: readonly number[]): Usage {
  return { cpuSeconds: sum(pids.map(ownCpuSecondsOf)), switches: sum(pids.map(contextSwitchesOf)) };
}

/** Usage of a process and its descendants, with those that ended. */
export function usageOfTree(pid: number): Usage {
  return { cpuSeconds: cpuSecondsOf(pid), switches: sum(processTree(pid).map(contextSwitchesOf)) };
}

/** Usage of the descendants of these processes, with those that ended: measuring children are replaced when they have grown. */
export function usageOfChildren(pids: readonly number[]): Usage {
  const [trees, own] = [pids.map(usageOfTree), usageOf(pids)];
  return {
    cpuSeconds: sum(trees.map(({ cpuSeconds }) => cpuSeconds)) - own.cpuSeconds,
    switches: sum(trees.map(({ switches }) => switches)) - own.switches,
  };
}

/** Usage between two readings, for each of `count` operations: CPU in microseconds. */
export function usagePer(
  count: number,
  before: Usage,
  after: Usage,
): { readonly cpuUs: number; readonly switches: number } {
  return {
    cpuUs: (1e6 * (after.cpuSeconds - before.cpuSeconds)) / count,
    switches: (after.switches - before.switches) / count,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
