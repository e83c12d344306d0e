import { nullable } from '@vantage/shared/nullable.js';
import { toStorableText } from '@vantage/shared/text.js';
import { type Static, Type } from 'typebox';
import { instant, open, type PayloadContext, record } from './kind.js';

/** Greatest number of nodes, of characters of a reason, and of tags in a payload: bodies stay below 20 kB. */
const MAX_NODES = 50;
const MAX_REASON = 500;
const MAX_TAGS = 20;

export const instantOf = (description: string) => Type.String({ format: 'date-time', description });
/** Schema of an id. */
export const id = (example: string) => Type.String({ examples: [example] });

export const monitorId = 'm_1FZ3ybQXhhsV3cDKtVoMjX';
const eventId = 'mev_1FZ3ybQXhhsV3cDKtVoMjY';
export const nodeId = 'n_1FZ3ybQXhhsV3cDKtVoMjZ';

/** Monitor in the full form. */
export const MonitorPart = open({
  id: id(monitorId),
  name: Type.String(),
  type: Type.String({ description: 'Type of the monitor: `https`, `ping`, …' }),
  target: Type.String({ description: 'Empty for heartbeats.' }),
  tags: Type.Array(Type.String(), { description: `At most ${MAX_TAGS} of its tags.` }),
  group: nullable(Type.String(), 'Id of its group; null: none.'),
});

/** Address of a monitor. */
export const url = Type.String({ description: 'URL of the monitor in this API.' });

/** Period when a monitor was down or degraded. */
export const EventPart = open({
  id: id(eventId),
  type: Type.Union([Type.Literal('down'), Type.Literal('degraded')]),
  started_at: instantOf('Time of the first failed check.'),
  ended_at: nullable(Type.String({ format: 'date-time' }), 'Null while the event lasts.'),
  affected_nodes: Type.Array(Type.String(), { description: `Ids of nodes, at most ${MAX_NODES}.` }),
  reason: nullable(Type.String(), `Reason that the nodes reported, at most ${MAX_REASON} characters; null: none.`),
  truncated: Type.Optional(
    Type.Boolean({ description: 'True if `affected_nodes` or `reason` is cut; absent: it is not.' }),
  ),
});

/** `data` of an event about a monitor. */
export const MonitorData = open({ monitor: MonitorPart, url });

/** `data` of an event about a period of a monitor. */
export const EventData = open({
  monitor: MonitorPart,
  event: EventPart,
  is_flapping: Type.Boolean({ description: 'True if the monitor changes its state often: see `monitor.flapping`.' }),
  url,
});

/** `data` of the thin forms. */
export const ThinMonitor = open({ monitor_id: id(monitorId) });
export const ThinEvent = open({ monitor_id: id(monitorId), event_id: id(eventId) });

/** Monitor in the payload of an event. */
export const monitorRecord = record({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  target: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  group_id: Type.Optional(nullable(Type.String(), 'it is in none')),
});

/** Period of a monitor in the payload of an event. */
export const periodRecord = record({
  id: Type.String(),
  type: Type.Union([Type.Literal('down'), Type.Literal('degraded')]),
  started_at: instant,
  ended_at: nullable(instant, 'it has not ended'),
  resolved_at: nullable(instant, 'no user has resolved it'),
  affected_nodes: Type.Array(Type.String()),
  reason: nullable(Type.String(), 'none is known'),
});

type MonitorName = Static<typeof monitorRecord>;
type Period = Static<typeof periodRecord>;

/** Monitor of an event, and its address. */
export function monitorPart({ group_id, tags = [], ...monitor }: MonitorName, { publicUrl }: PayloadContext) {
  return {
    monitor: { ...monitor, tags: tags.slice(0, MAX_TAGS), group: group_id ?? null },
    url: `${publicUrl}/v1/monitors/${monitor.id}`,
  };
}

/** Period of an event, cut to the greatest size. */
export function eventPart(period: Period): Static<typeof EventPart> {
  const { id, type, started_at, ended_at } = period;
  return { id, type, started_at, ended_at, ...cutToSize(period) };
}

/** Nodes and reason, cut to the greatest size; `truncated` if they are longer. */
export function cutToSize({ affected_nodes, reason }: Pick<Period, 'affected_nodes' | 'reason'>) {
  const isCut = affected_nodes.length > MAX_NODES || (reason?.length ?? 0) > MAX_REASON;
  return {
    affected_nodes: affected_nodes.slice(0, MAX_NODES),
    // a character outside of the basic plane must not be cut in half
    reason: reason === null ? null : toStorableText(reason.slice(0, MAX_REASON)),
    ...(isCut ? { truncated: true } : {}),
  };
}

export const thinMonitor = ({ monitor }: { readonly monitor: { readonly id: string } }) => ({ monitor_id: monitor.id });

export const thinEvent = (data: {
  readonly monitor: { readonly id: string };
  readonly event: { readonly id: string };
}) => ({
  ...thinMonitor(data),
  event_id: data.event.id,
});

/** Examples that kinds share. */
export const exampleMonitor = {
  id: monitorId,
  name: 'Shop',
  type: 'https',
  target: 'https://shop.example/',
  tags: ['production'],
};
export const examplePayload = { monitor: { ...exampleMonitor, group_id: null } };
export const exampleData = {
  monitor: { ...exampleMonitor, group: null },
  url: `http://localhost:8080/v1/monitors/${monitorId}`,
};
const period = {
  id: eventId,
  started_at: '2026-11-21T09:16:00.000Z',
  affected_nodes: [nodeId],
  reason: '1 of 1 nodes: tcp_refused',
};
const AN_END = '2026-11-21T09:21:00.000Z';

/** Examples of a period: in the payload of the event, and in the body that receivers get. */
export function examplesOfPeriod(type: 'down' | 'degraded', hasEnded: boolean) {
  const event = { ...period, type, ended_at: hasEnded ? AN_END : null };
  return { payload: { ...event, resolved_at: null }, data: event };
}
