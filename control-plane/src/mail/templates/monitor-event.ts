import type { Locale } from '../../http/locale.js';
import { instant, type MailContent, type MailTemplate, note, paragraph } from './template.js';

/** What `monitor-event` tells. */
export interface MonitorEventData {
  readonly kind: 'monitor.down' | 'monitor.degraded' | 'monitor.up';
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
  readonly subject: Readonly<Record<MonitorEventData['kind'], (name: string) => string>>;
  readonly since: (target: string, at: string) => string;
  readonly over: (target: string, from: string, to: string) => string;
  readonly reason: (reason: string) => string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    subject: {
      'monitor.down': (name) => `Down: ${name}`,
      'monitor.degraded': (name) => `Degraded: ${name}`,
      'monitor.up': (name) => `Up again: ${name}`,
    },
    since: (target, at) => `${target}, since ${at}.`,
    over: (target, from, to) => `${target} was not well from ${from} to ${to}.`,
    reason: (reason) => `What the nodes saw: ${reason}`,
    why: 'You get this because you own the monitor; it can be switched off there (notify_owner).',
  },
  'zh-CN': {
    subject: {
      'monitor.down': (name) => `故障：${name}`,
      'monitor.degraded': (name) => `性能下降：${name}`,
      'monitor.up': (name) => `已恢复：${name}`,
    },
    since: (target, at) => `${target}，自 ${at} 起。`,
    over: (target, from, to) => `${target} 在 ${from} 至 ${to} 期间异常。`,
    reason: (reason) => `节点观察到：${reason}`,
    why: '您收到此邮件是因为您拥有该监控；可在监控中关闭（notify_owner）。',
  },
  'zh-TW': {
    subject: {
      'monitor.down': (name) => `故障：${name}`,
      'monitor.degraded': (name) => `效能下降：${name}`,
      'monitor.up': (name) => `已恢復：${name}`,
    },
    since: (target, at) => `${target}，自 ${at} 起。`,
    over: (target, from, to) => `${target} 在 ${from} 至 ${to} 期間異常。`,
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

function content({ kind, name, target, reason, startedAt, endedAt }: MonitorEventData, locale: Locale): MailContent {
  const { subject, since, over, reason: saw, why } = words[locale];
  const from = instant(startedAt, locale);
  const when = endedAt === null ? since(target, from) : over(target, from, instant(endedAt, locale));
  const seen = reason === null ? [] : [paragraph(saw(reason))];
  return { subject: subject[kind](oneLine(name)), blocks: [paragraph(oneLine(when)), ...seen.map(flat), note(why)] };
}

/** Names and reasons are what people and servers wrote: no line of a mail ends where they want. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function flat(block: ReturnType<typeof paragraph>): ReturnType<typeof paragraph> {
  return 'text' in block ? { ...block, text: oneLine(block.text) } : block;
}
