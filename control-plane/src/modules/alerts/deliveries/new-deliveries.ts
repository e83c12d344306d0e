import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Sealer } from '../../../crypto/sealing.js';
import type { Locale } from '../../../http/locale.js';
import type { Slices } from '../../../runtime/slices.js';
import type { Message, MessageKind, Severity } from '../types/message.js';
import { messageText } from '../types/message-text.js';
import { withCustomTexts } from '../types/template/custom-text.js';
import type { DeliveryRow } from './delivery.js';
import type { Destination, Recipient } from './destination.js';
import { storable } from './masking.js';
import { sealMessage } from './message-seal.js';
import type { EndReason } from './needed.js';

/** Context that a message is written for. */
export interface WritingFor {
  /** Id of the delivery. */
  readonly id: string;
  readonly locale: Locale;
  /** IANA name. */
  readonly timezone: string;
  readonly recipient: string | null;
}

/** One message to one channel. */
export interface NewMessage {
  readonly destination: Destination;
  /** Recipients among those of the channel; absent: all of them. */
  readonly to?: readonly string[];
  /** The same for one message to several channels. */
  readonly messageGroup: string;
  readonly kind: MessageKind;
  readonly alertIds: readonly string[];
  readonly alertCount: number;
  /** Monitor that the message is about; absent: it is about several, or none. */
  readonly monitorId?: string;
  readonly isFallback?: true;
  /** True for a message about something that a test key created: no one gets it. */
  readonly isTest?: true;
  /** True for a digest that goes to the address of the account if no channel accepts it, as a firing message does. */
  readonly hasFallback?: true;
  /** True for a message that was sent before, and has no fallback of its own. */
  readonly isRetry?: true;
  write(context: WritingFor): Message;
}

/** Alerts that a delivery names. */
export const MAX_ALERT_IDS = 100;
const severityRanks: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

/** Order in which messages that wait for a channel are sent, lowest first: what begins before what ends, critical before the rest. */
export function priorityOf(kind: MessageKind, severity: Severity): number {
  if (kind === 'verification' || kind === 'test') return 0;
  const isEnd = kind === 'resolved' || kind === 'acknowledged';
  return 1 + severityRanks[severity] + (isEnd ? 3 : 0);
}

/** Steps of a message, as `Slices` counts them: texts of the owner may have thousands of placeholders. */
const STEPS_PER_MESSAGE = 1_000;

interface Planning {
  readonly nowMs: number;
  readonly sealer: Sealer;
}

/** Deliveries of a message: one, or one for each recipient. Those that may not be sent are dropped at once, with the reason. */
export async function planDeliveries(
  message: NewMessage,
  { slices, ...planning }: Planning & { readonly slices: Slices },
): Promise<DeliveryRow[]> {
  const { destination, to, alertCount } = message;
  const all: readonly (Recipient | null)[] = destination.recipients ?? [null];
  const chosen = all.filter((recipient) => recipient === null || to === undefined || to.includes(recipient.to));
  const rows: DeliveryRow[] = [];
  const refused = new Set<EndReason>();
  for (const recipient of chosen) {
    const reason = reasonOf(message, recipient);
    // one row says why nothing goes to recipients who do not want it, however many there are
    if (reason === 'unverified' || reason === 'unsubscribed' || reason === 'monitor_stopped') {
      if (refused.has(reason)) continue;
      refused.add(reason);
    }
    await slices.spend(STEPS_PER_MESSAGE + alertCount);
    rows.push(planDelivery(message, recipient, planning));
  }
  return rows;
}

function reasonOf(
  { destination, kind, monitorId, isFallback, isTest }: NewMessage,
  recipient: Recipient | null,
): EndReason | null {
  if (isTest) return 'test_mode';
  const refusal = refusalOf({ kind, isFallback: isFallback === true }, destination, recipient);
  if (refusal !== null || recipient === null || monitorId === undefined) return refusal;
  return recipient.stoppedMonitors.includes(monitorId) ? 'monitor_stopped' : null;
}

function planDelivery(planned: NewMessage, recipient: Recipient | null, { nowMs, sealer }: Planning): DeliveryRow {
  const { destination, messageGroup, kind, alertIds, alertCount, isFallback = false, isTest, isRetry, write } = planned;
  const id = newId(idPrefixes.alertDelivery, nowMs);
  const { locale, timezone } = destination;
  const written = write({ id, locale, timezone, recipient: recipient?.to ?? null });
  // a message that was written before has its texts already
  const message = isFallback || isRetry ? written : withCustomTexts(written, destination.texts);
  const reason = reasonOf(planned, recipient);
  return {
    id,
    owner_id: destination.ownerId,
    is_test: destination.isTest || isTest === true,
    channel_id: destination.channelId,
    channel_name: destination.name,
    type: destination.type,
    recipient: recipient?.to ?? null,
    kind,
    alert_ids: alertIds.slice(0, MAX_ALERT_IDS),
    alert_count: alertCount,
    message_group: messageGroup,
    thread: message.thread,
    priority: priorityOf(kind, message.severity),
    title: kind === 'verification' ? '' : storable(message.title),
    text: storable(shownText(message)),
    message: sealMessage(message, sealer),
    status: reason === null ? 'pending' : 'dropped',
    reason,
    attempts: [],
    tries: 0,
    is_plain: false,
    is_fallback: isFallback,
    may_have_arrived: false,
    provider_id: null,
    next_attempt_at: reason === null ? new Date(nowMs) : null,
    created_at: new Date(nowMs),
    finished_at: reason === null ? null : new Date(nowMs),
  };
}

/** Text for the log: without links, and of a verification nothing, since both act for anyone who reads them. */
function shownText(message: Message): string {
  return message.kind === 'verification' ? '' : messageText({ ...message, links: [] });
}

/** Reason why a message may not go to a recipient of a channel as they are now; null if it may. */
export function refusalOf(
  { kind, isFallback }: { readonly kind: MessageKind; readonly isFallback: boolean },
  { isTest, isEnabled }: Pick<Destination, 'isTest' | 'isEnabled'>,
  recipient: Recipient | null,
): EndReason | null {
  if (isTest) return 'test_mode';
  if (kind === 'verification') return null;
  if (!isEnabled && !isFallback && kind !== 'test') return 'channel_disabled';
  if (recipient === null) return null;
  if (recipient.isUnsubscribed) return 'unsubscribed';
  return recipient.isVerified ? null : 'unverified';
}
