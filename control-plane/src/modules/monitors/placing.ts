import type { Clock } from '@vantage/shared/clock.js';
import { isMonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import { measurementOf } from '@vantage/shared/probe-types/index.js';
import type { Knex } from 'knex';
import type { NodeDirectory, Viewer } from '../nodes/index.js';
import { endAssignments, insertAssignments, listAssignedNodes } from './assignment-store.js';
import { isFit, isPresent, toCandidate, type Wanted } from './fitness.js';
import type { NodeLoads } from './node-loads.js';
import { placeMonitor } from './placement.js';
import type { MonitorRow } from './store.js';

/** Which nodes a monitor has and had. */
export interface Placed {
  readonly nodeIds: readonly string[];
  /** Nodes whose assignments changed: they are to be told. */
  readonly changed: readonly string[];
}

/** Chooses the nodes of monitors, in the transaction that made it necessary. */
export class Placing {
  constructor(
    private readonly options: {
      readonly directory: Pick<NodeDirectory, 'all' | 'find'>;
      readonly loads: NodeLoads;
      readonly clock: Clock;
    },
  ) {}

  /** Whether any node at all may ever check it, linked or not. */
  isPossible(wanted: Wanted): boolean {
    return [...this.options.directory.all()].some((node) => isFit(node, wanted));
  }

  /** Gives a locked monitor the nodes it should have now, and takes it from others. */
  async place(trx: Knex, monitor: MonitorRow, owner: Viewer): Promise<Placed> {
    const current = await listAssignedNodes(trx, monitor.id);
    const wanted = monitor.status === 'active' ? wantedOf(monitor, owner) : null;
    const nodeIds = wanted === null ? [] : this.#choose(monitor, wanted, current);
    const added = nodeIds.filter((id) => !current.includes(id));
    const removed = current.filter((id) => !nodeIds.includes(id));
    await endAssignments(trx, monitor.id, removed);
    await insertAssignments(trx, monitor.id, added);
    this.options.loads.count(added, 1 / monitor.interval_s);
    return { nodeIds, changed: [...added, ...removed] };
  }

  #choose(monitor: MonitorRow, wanted: Wanted, current: readonly string[]): string[] {
    const { directory, loads, clock } = this.options;
    const nowMs = clock.now();
    const fit = [...directory.all()].filter((node) => isFit(node, wanted));
    const candidates = fit
      .filter((node) => (current.includes(node.id) ? isPresent(node, nowMs) : node.sessionId !== null))
      .map((node) => toCandidate(node, wanted.selection.spread, loads.of(node.id)));
    const count = monitor.node_count;
    const chosen = placeMonitor({ monitorId: monitor.id, count, candidates, current });
    // nobody can take their place: they go on when they are back
    const absent = current.filter((id) => !chosen.includes(id) && fit.some((node) => node.id === id));
    return [...chosen, ...absent].slice(0, count);
  }
}

/** What a stored monitor asks of its nodes; null: no node checks its type. */
export function wantedOf(
  monitor: Pick<MonitorRow, 'type' | 'target' | 'config' | 'node_selection'>,
  owner: Viewer,
): Wanted | null {
  const { type, target, config, node_selection: selection } = monitor;
  if (!isMonitorType(type)) return null;
  const { probeType, toSpec } = monitorTypeOf(type);
  const spec = toSpec(target, config as never);
  const { targetHost, asksOthers = false } = measurementOf(probeType);
  const host = targetHost(spec as never);
  const isLiteral = host.kind === 'address' && !asksOthers;
  return { type, selection, owner, family: isLiteral ? host.family : null };
}
