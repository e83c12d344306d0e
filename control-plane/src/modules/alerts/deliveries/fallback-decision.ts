import type { Locale } from '../../../http/locale.js';
import type { DeliveryRow } from './delivery.js';
import type { EndReason } from './needed.js';

/** Time that channels have to accept a firing message before it goes to the address of the account. */
export const FALLBACK_AFTER_MS = 120_000;

/** Channel that did not accept a message, and why. */
export interface ChannelFailure {
  readonly name: string;
  readonly why: string;
}

/** Reasons for which no one needs the message any more. */
const settled: ReadonlySet<EndReason | null> = new Set([
  'test_mode',
  'recovered_before_sent',
  'acknowledged',
  'silenced',
  'not_needed',
]);

/**
 * Channels that failed, if a firing message has to go to the address of the account; null if it need not. A message that may have
 * arrived counts as accepted.
 */
export function decideFallback(
  rows: readonly Pick<
    DeliveryRow,
    'status' | 'reason' | 'may_have_arrived' | 'recipient' | 'type' | 'channel_name' | 'attempts'
  >[],
  accountAddress: string,
): ChannelFailure[] | null {
  if (rows.some((row) => row.status === 'sent' || row.may_have_arrived)) return null;
  const open = rows.filter((row) => row.status !== 'dropped' || !settled.has(row.reason));
  if (open.length === 0) return null;
  // the same mailbox is tried already, or its owner wants no messages about the monitor
  const isOwnChoice = ({ status, reason }: (typeof open)[number]) =>
    status !== 'dropped' || reason === 'monitor_stopped';
  if (open.some((row) => row.recipient === accountAddress && isOwnChoice(row))) return null;
  const failures = new Map(
    open.map((row) => [row.channel_name, row.attempts.at(-1)?.error ?? row.reason ?? row.status]),
  );
  return [...failures].map(([name, why]) => ({ name, why }));
}

const sentences: Readonly<Record<Locale, (list: string) => string>> = {
  en: (list) => `You receive this at the address of your account because no channel accepted it: ${list}.`,
  'zh-CN': (list) => `所有渠道均未能接收此消息，因此发送到您的账户邮箱：${list}。`,
  'zh-TW': (list) => `所有管道均未能接收此訊息，因此寄到您的帳戶信箱：${list}。`,
};

/** Sentence that names the channels that failed. */
export function fallbackNote(failures: readonly ChannelFailure[], locale: Locale): string {
  return sentences[locale](failures.map(({ name, why }) => `${name} (${why})`).join('; '));
}
