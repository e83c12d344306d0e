import { contextSwitchesOf, cpuSecondsOf, ownCpuSecondsOf, processTree } from '../processes.js';

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
