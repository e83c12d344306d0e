import { type BundledAlert, planBundle } from '@vantage/shared/alerts/joining.js';
import type { Knex } from 'knex';
import { afterCommit } from '../../../db/after-commit.js';
import { Slices } from '../../../runtime/slices.js';
import { type DigestFallback, listDigestFallbacks } from '../deliveries/delivery-store.js';
import type { Destination, Destinations } from '../deliveries/destination.js';
import { MAX_ALERT_IDS, type NewMessage } from '../deliveries/new-deliveries.js';
import type { Outgoing } from '../deliveries/outgoing.js';
import { type BeginningOf, readBegun } from '../events/begun-store.js';
import { digestMessage } from '../types/texts/digest-message.js';
import type { AlertCounts } from './alert-counts.js';
import { type MessageContext, PAYLOAD_VERSION } from './alert-messages.js';
import {
  type BundleRow,
  claimBundles,
  type KeptParts,
  type KnownPart,
  keepParts,
  listParts,
  updateBundles,
} from './bundle-store.js';
import { type DigestRow, insertDigests } from './digest-store.js';
import { groupBy } from './group-by.js';
import { readSilenced } from './silenced-alerts.js';

/** Bundles that one transaction takes. */
export const BUNDLES_AT_ONCE = 10;
/** Steps of an alert of a bundle, as `Slices` counts them. */
const STEPS_PER_ALERT = 10;
/**
 * Delay of a message that waits for the end of an attempt, in milliseconds: by it the channel gets the start of an alert, which the
 * message says is over, or does not. The channel takes one message at a time, and would take this one no sooner.
 */
const POSTPONED_MS = 1_000;
/** Alerts that the payload of a digest has in full. */
const MAX_SHOWN = 100;

interface DigestsOptions {
  readonly destinations: Pick<Destinations, 'read' | 'readFallbacks'>;
  readonly outgoing: Pick<Outgoing, 'enqueue'>;
  readonly counts: Pick<AlertCounts, 'countDigest'>;
  readonly messages: Pick<MessageContext, 'pageUrl'>;
}

/** Message of a bundle that is due; null if nothing changed. And the bundle afterwards. */
interface Planned {
  readonly row: BundleRow;
  readonly thread: string;
  readonly kept: KeptParts;
  /** Alerts of the message, what changed first. */
  readonly included: readonly KnownPart[] | null;
  /** Alerts that are over, and of which the channel or the address of the account in its place was to be notified. */
  readonly over: readonly KnownPart[];
  /** True if alerts that were notified before fire, and a silence keeps them back. */
  readonly hasOthers: boolean;
}

type IsSilenced = Awaited<ReturnType<typeof readSilenced>>;

/** Makes the messages of bundles that are due. */
export class Digests {
  constructor(private readonly options: DigestsOptions) {}

  /** Makes some of them, in the caller's transaction. @returns how many bundles were due */
  async make(trx: Knex, nowMs: number): Promise<number> {
    const due = await claimBundles(trx, nowMs, BUNDLES_AT_ONCE);
    if (due.length === 0) return 0;
    const parts = await listParts(
      trx,
      due.map(({ id }) => id),
    );
    const isSilenced = await readSilenced(
      trx,
      parts.map(({ alert }) => alert),
      nowMs,
    );
    const beginningOf = await readBegun(trx, due, parts.filter(isNotifiedEnd), nowMs);
    const byBundle = groupBy(parts, ({ bundleId }) => bundleId);
    const slices = new Slices();
    const planned: Planned[] = [];
    const postponed: BundleRow[] = [];
    for (const row of due) {
      const own = byBundle.get(row.id) ?? [];
      await slices.spend(STEPS_PER_ALERT * own.length);
      if (own.some((part) => isNotifiedEnd(part) && beginningOf(row, part) === 'on its way'))
        postponed.push({ ...row, due_at: new Date(nowMs + POSTPONED_MS) });
      else planned.push(plan(row, own, { isSilenced, beginningOf, nowMs }));
    }
    await updateBundles(trx, [...planned.map(({ row }) => row), ...postponed]);
    await keepParts(
      trx,
      planned.map(({ kept }) => kept),
    );
    await this.#send(trx, planned, nowMs);
    return due.length;
  }

  async #send(trx: Knex, planned: readonly Planned[], nowMs: number): Promise<void> {
    const { destinations, outgoing, counts, messages: context } = this.options;
    const found = await destinations.read(trx, [...new Set(planned.map(({ row }) => row.channel_id))]);
    const messages = planned.flatMap((one) => {
      const destination = found.get(one.row.channel_id);
      if (one.included === null || destination === undefined) return [];
      return [messageOf({ ...one, included: one.included }, { destination, nowMs, context })];
    });
    const ends = await endDigestsOfFallbacks(trx, planned, { destinations, nowMs, context });
    const all = [...messages, ...ends];
    if (all.length === 0) return;
    await insertDigests(
      trx,
      all.filter(isLarge).map((message) => digestOf(message, nowMs)),
    );
    await outgoing.enqueue(trx, all);
    afterCommit(trx, () => {
      for (const { row, included } of planned)
        if (included !== null) counts.countDigest(row.group_id === null ? (row.state.cause ?? 'storm') : 'group');
    });
  }
}

function plan(
  row: BundleRow,
  parts: readonly KnownPart[],
  {
    isSilenced,
    beginningOf,
    nowMs,
  }: { readonly isSilenced: IsSilenced; readonly beginningOf: BeginningOf; readonly nowMs: number },
): Planned {
  // the end of an alert is not notified if its policy says so
  const present = parts.filter(({ isFiring, status }) => !isFiring || status !== 'resolved');
  const held = new Set(present.filter(({ isFiring, alert }) => isFiring && isSilenced(alert)));
  const unnotified = [...held].filter(({ severity, notifiedSeverity }) => severity !== notifiedSeverity);
  const over = present.filter(isNotifiedEnd);
  // the message about their start was not accepted before their end, and is dropped
  const unbegun = new Set(over.filter((part) => beginningOf(row, part) === 'none'));
  const known = present.map((part) => (unbegun.has(part) ? { ...part, notifiedSeverity: null } : part));
  const { state, message, alerts } = planBundle(row.state, known.flatMap(knownTo(held)), nowMs);
  const isOver = alerts.length === 0;
  // rises also where the clock was set back
  const sequence = message === null ? row.state.sequence : Math.max(nowMs, (row.state.sequence ?? 0) + 1);
  const thread = row.thread ?? `${row.id} ${nowMs.toString(36)}`;
  const byId = new Map(present.map((part) => [part.alertId, part]));
  const inOrder =
    message === null ? [] : [...message.opened, ...message.raised, ...message.resolved, ...message.firing];
  const named = [...new Set(inOrder.map(({ alertId }) => alertId))]
    .flatMap((id) => byId.get(id) ?? [])
    .filter((part) => !held.has(part));
  return {
    row: {
      ...row,
      state: sequence === undefined ? state : { ...state, sequence },
      due_at: null,
      thread: isOver ? null : message === null ? row.thread : thread,
    },
    thread,
    kept: {
      bundleId: row.id,
      isNotified: message !== null,
      alertIds: [...new Set([...alerts, ...unnotified].map(({ alertId }) => alertId))],
      unnotifiedIds: unnotified.map(({ alertId }) => alertId),
    },
    included: message === null || named.length === 0 ? null : named,
    over,
    hasOthers: [...held].some(({ notifiedSeverity }) => notifiedSeverity !== null),
  };
}

/** True if an alert is over that the channel was to be notified of. */
function isNotifiedEnd({ isFiring, notifiedSeverity }: Pick<BundledAlert, 'isFiring' | 'notifiedSeverity'>): boolean {
  return !isFiring && notifiedSeverity !== null;
}

/** Parts as the channel is to know them: of alerts that a silence keeps back nothing, or the state that it was notified of before. */
function knownTo(held: ReadonlySet<KnownPart>): (part: KnownPart) => BundledAlert[] {
  return (part) => {
    if (!held.has(part)) return [part];
    return part.notifiedSeverity === null ? [] : [{ ...part, severity: part.notifiedSeverity }];
  };
}

function isLarge({ alertIds }: NewMessage): boolean {
  return alertIds.length > MAX_ALERT_IDS;
}

function digestOf({ messageGroup, destination, alertIds }: NewMessage, nowMs: number): DigestRow {
  return {
    message_group: messageGroup,
    owner_id: destination.ownerId,
    alert_ids: alertIds,
    created_at: new Date(nowMs),
  };
}

/** Digests of what ended to the addresses of accounts that got the digest of its begin in place of its channel. */
async function endDigestsOfFallbacks(
  trx: Knex,
  planned: readonly Planned[],
  {
    destinations,
    nowMs,
    context,
  }: {
    readonly destinations: Pick<Destinations, 'readFallbacks'>;
    readonly nowMs: number;
    readonly context: MessageOptions['context'];
  },
): Promise<NewMessage[]> {
  const ended = planned.filter(({ over }) => over.length > 0);
  if (ended.length === 0) return [];
  const fallbacks = await listDigestFallbacks(trx, {
    ownerIds: [...new Set(ended.map(({ row }) => row.owner_id))],
    threads: ended.map(({ thread }) => thread),
    sinceMs: Math.min(
      ...ended.map(({ over }) => over.reduce((oldest, { startedAtMs }) => Math.min(oldest, startedAtMs), nowMs)),
    ),
  });
  if (fallbacks.length === 0) return [];
  const addresses = await destinations.readFallbacks(trx, [...new Set(ended.map(({ row }) => row.owner_id))]);
  return ended.flatMap(({ row, thread, over }) => {
    const destination = addresses.get(row.owner_id);
    const included = knownAt(
      fallbacks.filter((fallback) => fallback.thread === thread),
      over,
    );
    if (destination === undefined || included.length === 0) return [];
    const message = messageOf(
      { row: { ...row, recipients: null }, included, thread, hasOthers: false },
      { destination, nowMs, context },
    );
    return [{ ...message, messageGroup: `${message.messageGroup} fallback`, isFallback: true as const }];
  });
}

/** Those of the alerts that were in digests to an address, whose rows name the first of them alone. */
function knownAt(fallbacks: readonly DigestFallback[], over: readonly KnownPart[]): readonly KnownPart[] {
  if (fallbacks.some(({ alert_ids: ids, alert_count: count }) => count > ids.length)) return over;
  const named = new Set(fallbacks.flatMap(({ alert_ids: ids }) => ids));
  return over.filter(({ alertId }) => named.has(alertId));
}

interface MessageOptions {
  readonly destination: Destination;
  readonly nowMs: number;
  readonly context: Pick<MessageContext, 'pageUrl'>;
}

function messageOf(
  {
    row,
    included,
    thread,
    hasOthers,
  }: Pick<Planned, 'row' | 'thread' | 'hasOthers'> & { readonly included: readonly KnownPart[] },
  { destination, nowMs, context }: MessageOptions,
): NewMessage {
  const isOver = included.every(({ isFiring }) => !isFiring);
  const [monitorId, ...others] = new Set(included.map(({ alert }) => alert.monitor_id));
  return {
    destination,
    ...(row.recipients === null ? {} : { to: row.recipients }),
    messageGroup: `${row.id} ${nowMs.toString(36)}`,
    kind: 'digest',
    alertIds: included.map(({ alertId }) => alertId),
    alertCount: included.length,
    ...(monitorId === undefined || others.length > 0 ? {} : { monitorId }),
    ...(isOver ? {} : { hasFallback: true }),
    ...(row.is_test ? { isTest: true } : {}),
    write: (writing) => {
      const pageUrl = context.pageUrl(writing.id, { id: row.channel_id, recipient: writing.recipient });
      const hasFiring = included.some(({ isFiring, status }) => isFiring && status === 'firing');
      return digestMessage(
        {
          id: writing.id,
          thread,
          payload: payloadOf(row, included, {
            id: writing.id,
            isTest: row.is_test || destination.isTest,
            isOver,
            nowMs,
          }),
          entries: included.map(({ monitor, type, severity, startedAtMs, isFiring }) => ({
            monitor,
            type,
            severity,
            startedAtMs,
            isOver: !isFiring,
          })),
          groupName: row.group_name,
          nowMs,
          isTest: false,
          ...(hasOthers ? { hasOthers: true as const } : {}),
          acknowledgeUrl: hasFiring ? pageUrl : null,
          listUrl: pageUrl,
        },
        writing,
      );
    },
  };
}

/** Object that a webhook channel gets for several alerts. */
function payloadOf(
  row: BundleRow,
  included: readonly KnownPart[],
  {
    id,
    isTest,
    isOver,
    nowMs,
  }: { readonly id: string; readonly isTest: boolean; readonly isOver: boolean; readonly nowMs: number },
): Readonly<Record<string, unknown>> {
  return {
    id,
    type: isOver ? 'alert.resolved' : 'alert.firing',
    version: PAYLOAD_VERSION,
    timestamp: new Date(nowMs).toISOString(),
    sequence: row.state.sequence ?? nowMs,
    test: isTest,
    data: {
      kind: 'digest',
      alert: null,
      monitor: null,
      policy: null,
      group: row.group_id === null ? null : { id: row.group_id, name: row.group_name },
      count: included.length,
      alerts: included
        .slice(0, MAX_SHOWN)
        .map(({ alertId, status, type, severity, monitor, policy, startedAtMs, changes }) => ({
          id: alertId,
          // compares with the sequence of messages about this alert alone
          sequence: changes,
          status,
          type,
          severity,
          monitor,
          policy,
          started_at: new Date(startedAtMs).toISOString(),
        })),
    },
  };
}
