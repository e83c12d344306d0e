import { stormTimes } from '@vantage/shared/alerts/joining.js';
import type { Knex } from 'knex';
import { Slices } from '../../../runtime/slices.js';
import type { Destination, Destinations } from '../deliveries/destination.js';
import type { NewMessage } from '../deliveries/new-deliveries.js';
import type { Rooms } from '../deliveries/rooms.js';
import { type AlertGroup, groupOf } from '../groups/alert-group.js';
import { alertGroups, groupIn } from '../groups/alert-groups.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import { type MessageContext, messageOf } from './alert-messages.js';
import { lockBundles, readParts, storeParts, updateBundles } from './bundle-store.js';
import { bundleIdOf, joinMessages, newBundle, type PlacedNotification } from './bundling.js';
import type { Decided } from './decided.js';
import { endMessagesOfFallbacks } from './fallback-ends.js';

interface JoinParts {
  readonly destinations: Pick<Destinations, 'read'>;
  readonly rooms: Pick<Rooms, 'read'>;
  readonly types: ChannelTypes;
  readonly context: Pick<MessageContext, 'nowMs'>;
}

/** Decisions of which some messages have joined bundles. */
export interface JoinedNotifications {
  /** Decisions whose alerts say which bundle their last message has joined. */
  readonly decided: readonly Decided[];
  /** Messages that leave alone. */
  readonly alone: readonly PlacedNotification[];
  readonly found: ReadonlyMap<string, Destination>;
}

/** True for a decision with messages. */
function hasNotifications({ decision }: Decided): boolean {
  return decision.notifications.length > 0;
}

/** Steps of a message that is put into its bundle, as `Slices` counts them. */
const STEPS_PER_NOTIFICATION = 3;

/** Has messages of decisions join bundles, before anything else of the decisions is stored. */
export async function joinNotifications(
  trx: Knex,
  decided: readonly Decided[],
  { destinations, rooms, types, context: { nowMs } }: JoinParts,
): Promise<JoinedNotifications> {
  const notifying = decided.filter(hasNotifications);
  if (notifying.length === 0) return { decided, alone: [], found: new Map() };
  const channels = notifying.flatMap(({ decision }) => decision.notifications.map(({ choice }) => choice.channel_id));
  const found = await destinations.read(trx, [...new Set(channels)]);
  const groups = await readGroups(trx, notifying);
  const slices = new Slices();
  const placed: PlacedNotification[] = [];
  for (const one of notifying) {
    await slices.spend(STEPS_PER_NOTIFICATION * one.decision.notifications.length);
    placed.push(...placedNotifications(one, { found, groups, types }));
  }
  const guarded = new Set(
    placed.filter(({ group }) => group === null).map(({ notification }) => notification.choice.channel_id),
  );
  const room = await rooms.read(
    trx,
    [...guarded].flatMap((id) => found.get(id) ?? []),
    { nowMs, withinMs: stormTimes.waitMs },
  );
  const alone = await joinStored(trx, placed, { nowMs, room, slices });
  const staying = new Set(alone);
  const keys = new Map(
    placed.filter((one) => !staying.has(one)).map((one) => [one.decided.row.id, groupKeyOf(one)] as const),
  );
  const keyed = decided.map((one) => {
    const key = keys.get(one.row.id);
    return key === undefined ? one : { ...one, row: { ...one.row, group_key: key } };
  });
  const byId = new Map(keyed.map((one) => [one.row.id, one]));
  return {
    decided: keyed,
    alone: alone.map((one) => ({ ...one, decided: byId.get(one.decided.row.id) ?? one.decided })),
    found,
  };
}

/** Writes the messages that leave now. */
export async function writeNotifications(
  trx: Knex,
  { decided, alone, found }: JoinedNotifications,
  {
    destinations,
    context,
  }: { readonly destinations: Pick<Destinations, 'readFallbacks'>; readonly context: MessageContext },
): Promise<NewMessage[]> {
  const messages = alone.flatMap(({ decided: one, notification }) => {
    const destination = found.get(notification.choice.channel_id);
    return destination === undefined ? [] : [messageOf(one, notification, { destination, context })];
  });
  return [...messages, ...(await endMessagesOfFallbacks(trx, decided, { destinations, context }))];
}

/** Name of a bundle in the record of its alerts. */
function groupKeyOf({ group, notification }: PlacedNotification): string {
  return group?.id ?? `storm:${notification.choice.channel_id}`;
}

async function readGroups(trx: Knex, decided: readonly Decided[]): Promise<ReadonlyMap<string, AlertGroup[]>> {
  const groups = new Map<string, AlertGroup[]>();
  for (const row of await alertGroups.store.readOf(trx, [...new Set(decided.map(({ row: { owner_id: id } }) => id))]))
    groups.set(row.owner_id, [...(groups.get(row.owner_id) ?? []), groupIn(row)]);
  return groups;
}

function placedNotifications(
  decided: Decided,
  {
    found,
    groups,
    types,
  }: {
    readonly found: ReadonlyMap<string, Destination>;
    readonly groups: ReadonlyMap<string, readonly AlertGroup[]>;
    readonly types: ChannelTypes;
  },
): PlacedNotification[] {
  const { row } = decided;
  const { monitor_name: name, monitor_tags: tags, monitor_type: type, is_test: isTest } = row;
  const group = groupOf(groups.get(row.owner_id) ?? [], { name, tags, type, isTest });
  return decided.decision.notifications.flatMap((notification) => {
    const destination = found.get(notification.choice.channel_id);
    if (destination === undefined) return [];
    const keepsIncidents = findType(types, destination.type)?.keepsIncidents ?? false;
    return [{ decided, notification, bundleId: bundleIdOf(notification, group, isTest), group, keepsIncidents }];
  });
}

/** @returns the messages that leave alone */
async function joinStored(
  trx: Knex,
  placed: readonly PlacedNotification[],
  {
    nowMs,
    room,
    slices,
  }: { readonly nowMs: number; readonly room: ReadonlyMap<string, number>; readonly slices: Slices },
): Promise<readonly PlacedNotification[]> {
  if (placed.length === 0) return [];
  const wanted = new Map(placed.map((one) => [one.bundleId, newBundle(one)]));
  const bundles = await lockBundles(trx, [...wanted.values()]);
  const alertIds = placed.map(({ decided }) => decided.row.id);
  const parts = await readParts(trx, { bundleIds: [...bundles.keys()], alertIds });
  const joined = await joinMessages(placed, { bundles, parts, room, nowMs, slices });
  await updateBundles(trx, joined.bundles);
  await storeParts(trx, joined.parts);
  return joined.alone;
}
