import type { Clock } from '@vantage/shared/clock.js';
import { isMonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import { measurementOf } from '@vantage/shared/probe-types/index.js';
import { isSpecialAddress } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import type { Viewer } from '../../../http/viewer.js';
import type { NodeDirectory } from '../../nodes/index.js';
import { endAssignments, insertAssignments, listAssignedNodes } from '../definition/assignment-store.js';
import { isWithin, reachOf } from '../definition/secret-reach.js';
import type { KnownMonitorRow, MonitorFields, MonitorRow } from '../definition/store.js';
import { chooseNodes } from './choose-nodes.js';
import { fitnessFor, isPresent, toCandidate, type Wanted } from './fitness.js';
import type { NodeLoads } from './node-loads.js';

/** Result of placing a monitor. */
export interface Placed {
  readonly nodeIds: readonly string[];
  /** Nodes whose assignments changed, to be notified. */
  readonly changed: readonly string[];
}

/** Columns of a monitor that placement reads. */
export type PlacedMonitor = MonitorFields & Pick<MonitorRow, 'status'>;

/** Chooses the nodes of monitors, in the transaction that makes it necessary. */
export class Placing {
  constructor(
    private readonly options: {
      readonly directory: Pick<NodeDirectory, 'all' | 'find'>;
      readonly loads: NodeLoads;
      readonly clock: Clock;
    },
  ) {}

  /** Reads the loads of nodes again if they are old; to be called before the transaction that places. */
  async prepare(): Promise<void> {
    await this.options.loads.refresh();
  }

  /** True if any node, linked or not, may check the monitor. */
  isPossible(wanted: Wanted): boolean {
    return [...this.options.directory.all()].some(fitnessFor(wanted));
  }

  /** True if a monitor has too few nodes, and another node is linked that may not get its secrets. */
  isShortOfReach(monitor: KnownMonitorRow, owner: Viewer): boolean {
    if (monitor.status !== 'active' || monitor.node_ids.length >= monitor.node_count) return false;
    const wanted = wantedOf(monitor, owner);
    if (wanted === null || wanted.secretReach === null) return false;
    const { secretReach } = wanted;
    const isFitOtherwise = fitnessFor({ ...wanted, secretReach: null });
    return [...this.options.directory.all()].some(
      (node) => node.sessionId !== null && !isWithin(secretReach, node, owner.ownerId) && isFitOtherwise(node),
    );
  }

  /** Assigns a locked monitor to the nodes it should have now, and ends its other assignments. */
  async place(trx: Knex, monitor: PlacedMonitor, owner: Viewer): Promise<Placed> {
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

  #choose(monitor: PlacedMonitor, wanted: Wanted, current: readonly string[]): string[] {
    const { directory, loads, clock } = this.options;
    const nowMs = clock.now();
    const fit = [...directory.all()].filter(fitnessFor(wanted));
    const candidates = fit
      .filter((node) => (current.includes(node.id) ? isPresent(node, nowMs) : node.sessionId !== null))
      .map((node) => toCandidate(node, wanted.selection.spread, loads.of(node.id)));
    const count = monitor.node_count;
    const chosen = chooseNodes({ monitorId: monitor.id, count, candidates, current });
    // no other node can replace them: they continue when they are back
    const absent = current.filter((id) => !chosen.includes(id) && fit.some((node) => node.id === id));
    return [...chosen, ...absent].slice(0, count);
  }
}

/** Requirements of a stored monitor for its nodes; null if no node checks its type. */
export function wantedOf(
  monitor: Pick<MonitorRow, 'type' | 'target' | 'config' | 'node_selection' | 'sealed_secrets'>,
  owner: Viewer,
): Wanted | null {
  const { type, target, config, node_selection: selection } = monitor;
  if (!isMonitorType(type)) return null;
  const { probeType, toSpec } = monitorTypeOf(type);
  const spec = toSpec(target, config as never);
  const { targetHost, asksOthers = false } = measurementOf(probeType);
  const host = targetHost(spec as never);
  const needsInternet = host.kind === 'address' && !asksOthers && !isSpecialAddress(host.address);
  return { type, selection, owner, family: needsInternet ? host.family : null, secretReach: reachOf(monitor) };
}
