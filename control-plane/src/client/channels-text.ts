import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';

/** Fields of a channel that are shown. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly verified: boolean;
  readonly enabled: boolean;
  readonly recipients: readonly { readonly to: string; readonly verified: boolean }[];
  readonly health: { readonly status: string; readonly last_error: string | null };
  readonly used_by: readonly { readonly id: string; readonly name: string }[];
}

/** Result of a test message. */
export interface TestResult {
  readonly ok: boolean;
  /** Null if nothing was sent. */
  readonly delivery: {
    readonly status: string;
    readonly reason: string | null;
    readonly attempts: readonly {
      readonly duration_ms: number;
      readonly error: string | null;
      readonly response: string | null;
    }[];
  } | null;
}

/** Channels as a table for a screen; one without room leaves out the errors, then the ids. */
export function channelsText(channels: readonly Channel[], screen: Screen): string {
  const titles = ['NAME', 'TYPE', 'STATE', 'USED BY', 'ID', 'LAST ERROR'];
  const rows = channels.map((channel): Cell[] => [
    channel.name,
    channel.type,
    stateCell(channel),
    usesText(channel),
    channel.id,
    channel.health.last_error ?? '',
  ]);
  const columns = titles.map((title) => ({ title, isElsewhere: title === 'ID' || title === 'LAST ERROR' }));
  return tableLines({ columns, rows }, screen).join('\n');
}

/** Names of the policies that send to a channel. */
export function usesText({ used_by: policies }: Pick<Channel, 'used_by'>): string {
  return policies.map(({ name }) => name).join(', ') || 'no policy';
}

/** Recipients that have to confirm before they get messages. */
export function unverifiedOf({ recipients }: Pick<Channel, 'recipients'>): readonly string[] {
  return recipients.filter(({ verified }) => !verified).map(({ to }) => to);
}

/** Result of a test in one line: the words of the receiver, or why nothing was sent. */
export function testText({ ok, delivery }: TestResult): string {
  if (delivery === null) return 'nothing was sent: tests of test keys are dry runs';
  const last = delivery.attempts.at(-1);
  const response = last?.response?.trim().split('\n', 1)[0] ?? '';
  if (delivery.reason === 'unverified')
    return 'not sent: no recipient has confirmed its code yet (`vantage channels verify`)';
  if (ok) return `accepted in ${last?.duration_ms ?? 0} ms${response === '' ? '' : `: ${response}`}`;
  const cause = [last?.error ?? delivery.reason ?? delivery.status, response].filter((part) => part !== '').join(': ');
  return `not accepted: ${cause}`;
}

function stateCell(channel: Channel): Cell {
  if (!channel.enabled) return 'disabled';
  if (channel.health.status === 'failing') return { text: 'failing', tone: 'bad' };
  if (unverifiedOf(channel).length > 0) return { text: 'unverified', tone: 'warning' };
  return channel.health.status === 'ok' ? { text: 'ok', tone: 'good' } : 'not used yet';
}
