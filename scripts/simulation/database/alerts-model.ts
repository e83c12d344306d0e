import { decide } from '@vantage/shared/alerts/decide.js';
import type { AlertNews, Decision } from '@vantage/shared/alerts/decision.js';
import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import { decideNext } from 'vantage-control/modules/alerts/deliveries/next-state.js';
import { endReasonOf } from 'vantage-control/modules/alerts/relay/still-needed.js';
import type { AlertRowState, MessageRow, NewsRow, Tables } from './tables.js';

// What the relay and the senders of alerts do in their transactions, each as one statement. The decisions are the product's own.
//
//   news ──relay──> alert, messages ──claim, lease──> sending ──sent, and recorded──> sent
//                                        └── the lease runs out: another sender claims it ──┘

/** Channels that are told of everything. */
export const ALERT_CHANNELS = ['chat', 'hook'] as const;

const LEASE_MS = 60_000;

const policy: AlertPolicy = {
  id: 'policy',
  rules: [
    {
      match: { severity: [], tags_any: [], time_window: null },
      channels: ALERT_CHANNELS.map((channel_id) => ({ channel_id, to: null })),
      delay_sec: 0,
      repeat: { enabled: false, interval_sec: 14_400, max_count: 10 },
    },
  ],
  escalation: { steps: [], repeat: 0, ack_timeout_sec: 0 },
  on_recovery: { notify: true, delay_sec: 0, channels: [] },
  suppression: { after_sec: 0, quiet_hours: [], flapping: 'notice', depends_on: [], no_data_after_sec: 0 },
};

/** Parts of relay and senders that a run may leave out, to prove that the checkers notice. */
export interface AlertChecks {
  /** True if there are messages about ends. */
  readonly tellsEnds: boolean;
  /** True if a claimed channel is leased, and nobody else claims it. */
  readonly leasesChannels: boolean;
  /** True if a message that another sender had claimed counts as one that may have arrived. */
  readonly remembersClaims: boolean;
}

/** A target breaks or is mended: its event, and the news of it. */
export function turnTarget(
  tables: Tables,
  monitorId: string,
  change: { readonly eventId: string; readonly nowMs: number },
): void {
  const { eventId, nowMs } = change;
  const open = [...tables.troubles.values()].find((one) => one.monitorId === monitorId && one.endedAt === null);
  if (open === undefined) tables.troubles.set(eventId, { id: eventId, monitorId, startedAt: nowMs, endedAt: null });
  else tables.troubles.set(open.id, { ...open, endedAt: nowMs });
  tables.news = [...tables.news, { monitorId, eventId: open?.id ?? eventId, isOver: open !== undefined, at: nowMs }];
}

/** Turns all news into changes of alerts and messages. */
export function relayNews(tables: Tables, nowMs: number, checks: AlertChecks): void {
  for (const news of tables.news) {
    const open = [...tables.alerts.values()].find(
      ({ monitorId, state }) => monitorId === news.monitorId && state.status !== 'resolved',
    );
    const decision = decide({
      alert: open?.state ?? null,
      monitorId: news.monitorId,
      policy,
      tags: [],
      surroundings: {},
      nextHoldAtMs: null,
      news: newsOf(news),
      nowMs,
    });
    store(tables, open ?? { id: `alert-${news.eventId}`, monitorId: news.monitorId, createdAt: nowMs }, decision, {
      nowMs,
      checks,
    });
  }
  tables.news = [];
}

function newsOf({ isOver, eventId, at }: NewsRow): AlertNews {
  if (isOver) return { kind: 'over', resolution: 'recovered', atMs: at };
  return { kind: 'trouble', type: 'down', severity: 'critical', startedAtMs: at, monitorEventId: eventId };
}

function store(
  tables: Tables,
  { id, monitorId, createdAt }: Omit<AlertRowState, 'state'>,
  { alert: state, tells }: Decision,
  { nowMs, checks }: { readonly nowMs: number; readonly checks: AlertChecks },
): void {
  if (state === null) return;
  tables.alerts.set(id, { id, monitorId, createdAt, state });
  for (const { kind, choice } of tells) {
    if (kind === 'resolved' && !checks.tellsEnds) continue;
    const key = `${id} ${choice.channel_id} ${kind}`;
    tables.messages.set(key, {
      key,
      alertId: id,
      channel: choice.channel_id,
      kind: kind === 'resolved' ? 'resolved' : 'firing',
      status: 'pending',
      tries: 0,
      mayHaveArrived: false,
      createdAt: nowMs,
      nextAttemptAt: nowMs,
      isFinished: false,
    });
  }
}

/** Claims the next due message of each channel that nobody has leased. */
export function claimMessages(
  tables: Tables,
  { lease, nowMs }: { readonly lease: string; readonly nowMs: number },
  checks: AlertChecks,
): MessageRow[] {
  return ALERT_CHANNELS.flatMap((channel) => {
    const held = tables.leases.get(channel);
    if (checks.leasesChannels && held !== undefined && held.untilMs > nowMs) return [];
    const waiting = [...tables.messages.values()].filter((row) => row.channel === channel && !row.isFinished);
    const isFirst = (row: MessageRow) =>
      !waiting.some((other) => other.alertId === row.alertId && other.kind === 'firing' && row.kind === 'resolved');
    const next = waiting.find((row) => row.nextAttemptAt <= nowMs && isFirst(row));
    if (next === undefined) return [];
    const mayHaveArrived = next.mayHaveArrived || (checks.remembersClaims && next.status === 'sending');
    const claimed: MessageRow = { ...next, status: 'sending', mayHaveArrived };
    tables.messages.set(claimed.key, claimed);
    tables.leases.set(channel, { lease, untilMs: nowMs + LEASE_MS });
    return [claimed];
  });
}

/** True if a message is still needed. */
export function isNeeded(tables: Tables, row: MessageRow): boolean {
  const alert = tables.alerts.get(row.alertId);
  const began = tables.messages.get(`${row.alertId} ${row.channel} firing`);
  const reason = endReasonOf({
    kind: row.kind,
    mayHaveArrived: row.mayHaveArrived,
    alerts: alert === undefined ? [] : [{ status: alert.state.status, isSilenced: false }],
    wasTold: began !== undefined && (began.status === 'sent' || began.mayHaveArrived),
  });
  return reason === null;
}

/** Outcome of one attempt; `dropped`: there was none, since nobody needs the message. */
export type AttemptEnd = 'accepted' | 'refused' | 'unknown' | 'dropped' | 'given-up';

/** Records an attempt. Of a sender whose lease is another's by now only an acceptance counts. */
export function recordAttempt(
  tables: Tables,
  row: MessageRow,
  {
    lease,
    end,
    nowMs,
    random,
  }: { readonly lease: string; readonly end: AttemptEnd; readonly nowMs: number; readonly random: number },
): void {
  const isMine = tables.leases.get(row.channel)?.lease === lease;
  const known = tables.messages.get(row.key);
  if (isMine) tables.leases.delete(row.channel);
  if (known === undefined || known.isFinished || (!isMine && end !== 'accepted')) return;
  tables.messages.set(row.key, afterAttempt(row, end, { nowMs, random }));
}

function afterAttempt(
  row: MessageRow,
  end: AttemptEnd,
  at: { readonly nowMs: number; readonly random: number },
): MessageRow {
  if (end === 'dropped') return { ...row, status: 'dropped', isFinished: true };
  const mayHaveArrived = row.mayHaveArrived || end === 'unknown';
  // its replica stops: another one goes on at once
  if (end === 'given-up') return { ...row, status: 'pending', mayHaveArrived: true, nextAttemptAt: at.nowMs };
  const tries = row.tries + 1;
  const result = end === 'accepted' ? { kind: end } : ({ kind: 'retry', retryAfterMs: null } as const);
  const next = decideNext({ kind: row.kind, createdAtMs: row.createdAt, tries, isPlain: false }, result, at);
  if (next.status !== 'retrying') return { ...row, tries, mayHaveArrived, status: next.status, isFinished: true };
  return { ...row, tries, mayHaveArrived, status: 'retrying', nextAttemptAt: next.nextAttemptAtMs };
}
