import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type Consumer, defineConsumer, type EventOf } from '../../../events/index.js';
import {
  type DueNodeWait,
  deleteNodeWaitsBefore,
  insertNodeWaits,
  type NodeWait,
  noteOnline,
  takeNodeWaits,
} from '../events/node-wait-store.js';
import { readDefaultPolicies } from '../policies/applying-store.js';
import type { Notice } from '../types/texts/facts.js';
import { groupBy } from './group-by.js';
import type { NewNotice, Notices } from './notices.js';

// The owner of a node is notified that it has no link, or that its own network was away; no alert of its monitors is about that:
//
//   node.offline ────> waits 30 s ──────────────────> one notice for all nodes of the owner
//   node.unhealthy ──> waits 30 s ──────────────────> one notice for all, without nodes that were said to be offline then
//   node.online ─────> node.offline that waits is not sent

/** Time from the first event of a node of an owner to the notice, which names all nodes until then. */
const JOINED_MS = 30_000;
/** Days for which it is known that a notice said that a node is offline: results for that time may come late. */
const KNOWN_DAYS = 90;
const DAY_MS = 86_400_000;

type NodeEvent = EventOf<'node.offline' | 'node.online' | 'node.unhealthy'>;

interface NodeNoticesOptions {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'notify'>;
}

/** Notifies owners of nodes by their default policies. */
export class NodeNotices {
  constructor(private readonly options: NodeNoticesOptions) {}

  /** Has events of nodes wait for those of other nodes, in the caller's transaction. */
  async note(trx: Knex, events: readonly NodeEvent[]): Promise<void> {
    const nowMs = this.options.clock.now();
    const online = events.filter(({ kind }) => kind === 'node.online');
    await noteOnline(
      trx,
      online.map(({ subject }) => subject),
      nowMs,
    );
    await insertNodeWaits(trx, events.flatMap(waitOf), nowMs + JOINED_MS);
  }

  /** Queues the notices that are due, in the caller's transaction. */
  async notifyDue(trx: Knex): Promise<void> {
    const due = await takeNodeWaits(trx, this.options.clock.now());
    const unnotified = due.filter(({ isKnown }) => !isKnown);
    if (unnotified.length === 0) return;
    const policies = await readDefaultPolicies(trx, [...new Set(unnotified.map(({ ownerId }) => ownerId))]);
    const groups = groupBy(unnotified, ({ ownerId, kind }) => `${ownerId} ${kind}`);
    const notices = [...groups.values()].flatMap((nodes) => {
      const policy = policies.get(nodes[0]?.ownerId ?? '');
      return policy === undefined ? [] : [noticeOf(nodes, policy)];
    });
    await this.options.notices.notify(trx, notices);
  }

  /** Forgets nodes whose notices can no longer be repeated. */
  tidy(db: Knex): Promise<void> {
    return deleteNodeWaitsBefore(db, new Date(this.options.clock.now() - KNOWN_DAYS * DAY_MS));
  }
}

/** Has owners notified of their nodes. */
export function noticesOfNodes(notices: Pick<NodeNotices, 'note'>): Consumer {
  return defineConsumer({
    name: 'alerts.nodes',
    kinds: ['node.offline', 'node.online', 'node.unhealthy'],
    handleAll: (events, { trx }) => notices.note(trx, events),
  });
}

function waitOf({ kind, ownerId, subject, payload: { node, reason, since } }: NodeEvent): NodeWait[] {
  if (kind === 'node.online') return [];
  const waits = kind === 'node.offline' ? 'node_offline' : 'node_unhealthy';
  return [{ nodeId: subject, kind: waits, ownerId, nodeName: node.name, reason, sinceMs: Date.parse(since) }];
}

function noticeOf(nodes: readonly DueNodeWait[], policy: AlertPolicy): NewNotice {
  const names = nodes.map(({ nodeName }) => nodeName).toSorted();
  const reasons = [...new Set(nodes.flatMap(({ reason }) => reason ?? []))];
  const notice: Notice =
    nodes[0]?.kind === 'node_offline'
      ? { kind: 'node_offline', nodes: names }
      : { kind: 'node_unhealthy', nodes: names, reason: reasons.length === 0 ? null : reasons.join(', ') };
  const sinceMs = nodes.reduce((oldest, node) => Math.min(oldest, node.sinceMs), Number.POSITIVE_INFINITY);
  return { isTest: false, policy, tags: [], subject: nodes[0]?.nodeId ?? '', notice, sinceMs };
}
