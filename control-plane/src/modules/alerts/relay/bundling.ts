import { createHash } from 'node:crypto';
import type { Notification } from '@vantage/shared/alerts/decision.js';
import {
  type BundleTimes,
  bundleDueAt,
  emptyBundle,
  joinGroup,
  joinStorm,
  stormTimes,
} from '@vantage/shared/alerts/joining.js';
import type { Slices } from '../../../runtime/slices.js';
import { priorityOf } from '../deliveries/new-deliveries.js';
import type { AlertGroup } from '../groups/alert-group.js';
import type { BundledRow, BundleRow } from './bundle-store.js';
import type { Decided } from './decided.js';

/** Message of a decision for one channel, before it is known whether it leaves alone. */
export interface PlacedNotification {
  readonly decided: Decided;
  readonly notification: Notification;
  readonly bundleId: string;
  readonly group: AlertGroup | null;
  /** True if the channel keeps an incident for each thread, which a message of another thread does not end. */
  readonly keepsIncidents: boolean;
}

/** Bundle that a message joins if it does not leave alone. */
export function bundleIdOf({ choice }: Notification, group: AlertGroup | null, isTest: boolean): string {
  const place = `${choice.channel_id} ${group?.id ?? 'storm'}${isTest ? ' test' : ''}`;
  if (choice.to === null) return place;
  const hash = createHash('sha256').update(JSON.stringify(choice.to.toSorted()));
  return `${place} ${hash.digest('base64url').slice(0, 16)}`;
}

/** Bundle in which nothing waits. */
export function newBundle({ decided, notification, bundleId, group }: PlacedNotification): BundleRow {
  return {
    id: bundleId,
    owner_id: decided.row.owner_id,
    is_test: decided.row.is_test,
    channel_id: notification.choice.channel_id,
    group_id: group?.id ?? null,
    group_name: group?.name ?? null,
    recipients: notification.choice.to,
    wait_ms: timesOf(group).waitMs,
    interval_ms: timesOf(group).intervalMs,
    state: emptyBundle,
    thread: null,
    due_at: null,
  };
}

/** Messages that leave alone; and bundles and parts as they are after the others have joined. */
export interface Joined {
  readonly alone: readonly PlacedNotification[];
  readonly bundles: readonly BundleRow[];
  readonly parts: readonly BundledRow[];
}

/** Steps of a message, as `Slices` counts them. */
const STEPS_PER_MESSAGE = 5;

/** Divides messages into those that leave alone and those that wait for others, the most urgent first. */
export async function joinMessages(
  notifications: readonly PlacedNotification[],
  {
    bundles,
    parts,
    room,
    nowMs,
    slices,
  }: {
    readonly bundles: ReadonlyMap<string, BundleRow>;
    readonly parts: readonly BundledRow[];
    /** Messages that may leave alone, by channel. */
    readonly room: ReadonlyMap<string, number>;
    readonly nowMs: number;
    readonly slices: Slices;
  },
): Promise<Joined> {
  const rows = new Map(bundles);
  const left = new Map(room);
  const members = new Map(parts.map((part) => [keyOf(part), part]));
  const changed = new Map<string, BundledRow>();
  const alone: PlacedNotification[] = [];
  for (const placed of notifications.toSorted(byUrgency)) {
    await slices.spend(STEPS_PER_MESSAGE);
    const row = rows.get(placed.bundleId);
    if (row === undefined) continue;
    const part = members.get(keyOf({ bundleId: placed.bundleId, alertId: placed.decided.row.id }));
    const { channel_id: channelId } = placed.notification.choice;
    const places = left.get(channelId) ?? Number.POSITIVE_INFINITY;
    const after = join(row, placed, { isMember: part !== undefined, hasRoom: places > 0, nowMs });
    rows.set(row.id, after.row);
    if (!after.isJoined) {
      alone.push(placed);
      left.set(channelId, places - 1);
      continue;
    }
    const joined = partOf(placed, part);
    members.set(keyOf(joined), joined);
    changed.set(keyOf(joined), joined);
  }
  return { alone, bundles: [...rows.values()], parts: [...changed.values()] };
}

function join(
  row: BundleRow,
  placed: PlacedNotification,
  { isMember, hasRoom, nowMs }: { readonly isMember: boolean; readonly hasRoom: boolean; readonly nowMs: number },
): { readonly row: BundleRow; readonly isJoined: boolean } {
  const { notification, group, decided, keepsIncidents } = placed;
  const isKnown = notifiedBefore(decided, notification) !== null;
  if (keepsIncidents && isKnown && !isMember) return { row, isJoined: false };
  const { state, isJoined } =
    group === null
      ? joinStorm(row.state, { kind: notification.kind, isMember, wasQuiet: notification.wasQuiet, hasRoom }, nowMs)
      : { state: joinGroup(row.state, notification, nowMs), isJoined: true };
  const times = timesOf(group);
  const dueAtMs = bundleDueAt(state, times);
  return {
    isJoined,
    row: {
      ...row,
      state,
      group_name: group?.name ?? null,
      wait_ms: times.waitMs,
      interval_ms: times.intervalMs,
      due_at: dueAtMs === null ? null : new Date(dueAtMs),
    },
  };
}

function partOf({ decided, notification, bundleId }: PlacedNotification, before: BundledRow | undefined): BundledRow {
  return {
    bundleId,
    alertId: decided.row.id,
    severity: notification.severity,
    isFiring: notification.kind !== 'resolved',
    notifiedSeverity: before === undefined ? notifiedUntil(decided, notification) : before.notifiedSeverity,
  };
}

/** Severity that the channel knew before the decision; null if it knew nothing of the alert. */
function notifiedBefore({ before }: Decided, { choice }: Notification): BundledRow['notifiedSeverity'] {
  return before?.told.find((channel) => channel.choice.channel_id === choice.channel_id)?.severity ?? null;
}

/** Severity that a channel knows when a message joins its bundle. One that is notified of ends alone is notified of this one. */
function notifiedUntil(decided: Decided, notification: Notification): BundledRow['notifiedSeverity'] {
  return notifiedBefore(decided, notification) ?? (notification.kind === 'resolved' ? notification.severity : null);
}

function timesOf(group: AlertGroup | null): BundleTimes {
  return group === null ? stormTimes : { waitMs: group.waitMs, intervalMs: group.intervalMs };
}

function byUrgency(a: PlacedNotification, b: PlacedNotification): number {
  return (
    priorityOf(a.notification.kind, a.notification.severity) - priorityOf(b.notification.kind, b.notification.severity)
  );
}

function keyOf({ bundleId, alertId }: Pick<BundledRow, 'bundleId' | 'alertId'>): string {
  return `${bundleId} ${alertId}`;
}
