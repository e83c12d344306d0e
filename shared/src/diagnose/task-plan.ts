import type { SectionName } from './finding-table.js';
import { type DiagnoseTarget, hostText } from './target.js';

/** Node tasks that a report may have, and nodes. */
export const MAX_NODE_TASKS = 60;
export const MAX_NODES = 50;

/** Task of a report: a set of probe tasks on all its nodes, or a lookup on one. */
export interface PlannedTask {
  readonly section: SectionName;
  readonly kind: 'http' | 'ssl' | 'dns' | 'ping' | 'traceroute' | 'zone_audit' | 'headers';
  readonly target: string;
  /** `all` nodes of the report, or `one` that is chosen like that of a lookup. */
  readonly on: 'all' | 'one';
}

/** Plan of a report, or the number of nodes for which its scope leaves room. */
export type TaskPlan =
  | { readonly isTooLong: false; readonly tasks: readonly PlannedTask[]; readonly nodeTasks: number }
  | { readonly isTooLong: true; readonly nodes: number };

/** Sections that a target cannot have: an address has no name in a certificate, and no zone. */
export function isForNamesOnly(section: SectionName): boolean {
  return section === 'ssl' || section === 'dns';
}

/** Tasks of a report in the order in which they leave. */
export function planTasks(target: DiagnoseTarget, scope: ReadonlySet<SectionName>, nodeCount: number): TaskPlan {
  const tasks = tasksOf(target).filter(
    ({ section }) => scope.has(section) && !(target.host.kind === 'address' && isForNamesOnly(section)),
  );
  const onAll = tasks.filter(({ on }) => on === 'all').length;
  const onOne = tasks.length - onAll;
  const nodeTasks = onAll * nodeCount + onOne;
  if (nodeTasks <= MAX_NODE_TASKS && nodeCount <= MAX_NODES) return { isTooLong: false, tasks, nodeTasks };
  const room = onAll === 0 ? MAX_NODES : Math.floor((MAX_NODE_TASKS - onOne) / onAll);
  return { isTooLong: true, nodes: Math.min(MAX_NODES, room) };
}

function tasksOf({ host, url, tlsServer }: DiagnoseTarget): PlannedTask[] {
  const name = hostText(host);
  return [
    { section: 'dns', kind: 'dns', target: name, on: 'all' },
    { section: 'dns', kind: 'zone_audit', target: name, on: 'one' },
    { section: 'http', kind: 'http', target: url, on: 'all' },
    { section: 'security_headers', kind: 'headers', target: url, on: 'one' },
    { section: 'ssl', kind: 'ssl', target: tlsServer, on: 'all' },
    { section: 'ping', kind: 'ping', target: name, on: 'all' },
    { section: 'traceroute', kind: 'traceroute', target: name, on: 'all' },
  ];
}
