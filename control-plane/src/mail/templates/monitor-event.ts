import type { Locale } from '../../http/locale.js';
import { oneLine } from './one-line.js';
import { instant, type MailContent, type MailTemplate, note, paragraph } from './template.js';

/** What `monitor-event` tells. */
export interface MonitorEventData {
  /** Whether the event is of a lesser assertion. */
  readonly isDegraded: boolean;
  readonly name: string;
  readonly target: string;
  /** What the nodes said; null: nothing. */
  readonly reason: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  /** ISO 8601; null while it lasts. */
  readonly endedAt: string | null;
}

interface Words {
  readonly down: (name: string) => string;
  readonly degraded: (name: string) => string;
  readonly up: (name: string) => string;
  readonly since: (what: string, at: string) => string;
  readonly over: (what: string, from: string, to: string) => string;
  readonly reason: (reason: string) => string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    down: (name) => `Down: ${name}`,
    degraded: (name) => `Degraded: ${name}`,
    up: (name) => `Up again: ${name}`,
    since: (what, at) => `${what}, since ${at}.`,
    over: (what, from, to) => `${what} was not well from ${from} to ${to}.`,
    reason: (reason) => `What the nodes saw: ${reason}`,
    why: 'You get this because you own the monitor; it can be switched off there (notify_owner).',
  },
  'zh-CN': {
    down: (name) => `故障：${name}`,
    degraded: (name) => `性能下降：${name}`,
    up: (name) => `已恢复：${name}`,
    since: (what, at) => `${what}，自 ${at} 起。`,
    over: (what, from, to) => `${what} 在 ${from} 至 ${to} 期间异常。`,
    reason: (reason) => `节点观察到：${reason}`,
    why: '您收到此邮件是因为您拥有该监控；可在监控中关闭（notify_owner）。',
  },
  'zh-TW': {
    down: (name) => `故障：${name}`,
    degraded: (name) => `效能下降：${name}`,
    up: (name) => `已恢復：${name}`,
    since: (what, at) => `${what}，自 ${at} 起。`,
    over: (what, from, to) => `${what} 在 ${from} 至 ${to} 期間異常。`,
    reason: (reason) => `節點觀察到：${reason}`,
    why: '您收到此信是因為您擁有該監控；可在監控中關閉（notify_owner）。',
  },
};

/** Tells the owner of a monitor that it is not well, or well again. */
export const monitorEvent: MailTemplate<MonitorEventData> = {
  en: (data) => content(data, 'en'),
  'zh-CN': (data) => content(data, 'zh-CN'),
  'zh-TW': (data) => content(data, 'zh-TW'),
};

function content(data: MonitorEventData, locale: Locale): MailContent {
  const { since, over, reason: saw, why, ...says } = words[locale];
  const [name, target] = [oneLine(data.name), oneLine(data.target)];
  const [from, what] = [instant(data.startedAt, locale), `${name} (${target})`];
  const when = data.endedAt === null ? since(what, from) : over(what, from, instant(data.endedAt, locale));
  const seen = data.reason === null ? [] : [paragraph(saw(oneLine(data.reason)))];
  const heading = data.endedAt === null ? (data.isDegraded ? says.degraded : says.down) : says.up;
  return { subject: heading(name), blocks: [paragraph(when), ...seen, note(why)] };
}
