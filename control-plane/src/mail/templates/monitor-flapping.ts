import type { Locale } from '../../http/locale.js';
import { oneLine } from './one-line.js';
import { type MailContent, type MailTemplate, note, paragraph } from './template.js';

/** What `monitor-flapping` tells. */
export interface MonitorFlappingData {
  /** Whether it has settled. */
  readonly isOver: boolean;
  /** Whether it is up now. */
  readonly isUp: boolean;
  readonly name: string;
  readonly target: string;
}

interface Words {
  readonly begins: (name: string) => string;
  readonly ends: (name: string) => string;
  readonly quiet: (what: string) => string;
  readonly settled: (what: string) => string;
  readonly up: string;
  readonly notUp: string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    begins: (name) => `Flapping: ${name}`,
    ends: (name) => `Settled: ${name}`,
    quiet: (what) =>
      `${what} changes again and again. You get no mail of single events until it has settled; all of them are kept.`,
    settled: (what) => `${what} has not changed for a while. You get mails of its events again.`,
    up: 'Just now it is up.',
    notUp: 'Just now it is not well.',
    why: 'You get this because you own the monitor; it can be switched off there (notify_owner).',
  },
  'zh-CN': {
    begins: (name) => `状态抖动：${name}`,
    ends: (name) => `状态已稳定：${name}`,
    quiet: (what) => `${what} 的状态反复变化。在其稳定之前，您不会收到单个事件的邮件；所有事件均会保留。`,
    settled: (what) => `${what} 的状态已有一段时间没有变化。您将重新收到事件邮件。`,
    up: '目前正常。',
    notUp: '目前异常。',
    why: '您收到此邮件是因为您拥有该监控；可在监控中关闭（notify_owner）。',
  },
  'zh-TW': {
    begins: (name) => `狀態抖動：${name}`,
    ends: (name) => `狀態已穩定：${name}`,
    quiet: (what) => `${what} 的狀態反覆變化。在其穩定之前，您不會收到單一事件的信件；所有事件均會保留。`,
    settled: (what) => `${what} 的狀態已有一段時間沒有變化。您將重新收到事件信件。`,
    up: '目前正常。',
    notUp: '目前異常。',
    why: '您收到此信是因為您擁有該監控；可在監控中關閉（notify_owner）。',
  },
};

/** Tells the owner of a monitor that it changes all the time, or has stopped to. */
export const monitorFlapping: MailTemplate<MonitorFlappingData> = {
  en: (data) => content(data, 'en'),
  'zh-CN': (data) => content(data, 'zh-CN'),
  'zh-TW': (data) => content(data, 'zh-TW'),
};

function content({ isOver, isUp, ...data }: MonitorFlappingData, locale: Locale): MailContent {
  const { begins, ends, quiet, settled, up, notUp, why } = words[locale];
  const name = oneLine(data.name);
  const what = `${name} (${oneLine(data.target)})`;
  return {
    subject: (isOver ? ends : begins)(name),
    blocks: [paragraph((isOver ? settled : quiet)(what)), paragraph(isUp ? up : notUp), note(why)],
  };
}
