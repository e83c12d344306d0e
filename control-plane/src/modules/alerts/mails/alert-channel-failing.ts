import type { Reader } from '../../../http/instant-text.js';
import type { Locale } from '../../../http/locale.js';
import { oneLine } from '../../../mail/one-line.js';
import { instant, type MailContent, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the mail `alert-channel-failing`. */
export interface AlertChannelFailingData {
  readonly name: string;
  readonly type: string;
  /** ISO 8601. */
  readonly since: string;
  readonly error: string;
}

interface Words {
  readonly subject: (name: string) => string;
  readonly fails: (name: string, type: string, since: string) => string;
  readonly error: (error: string) => string;
  readonly advice: string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    subject: (name) => `Alert channel is failing: ${name}`,
    fails: (name, type, since) => `The alert channel ${name} (${type}) has accepted no message since ${since}.`,
    error: (error) => `Last error: ${error}`,
    advice:
      'Check its settings and send a test message (vantage channels test). New alerts are still sent to it; the next accepted message ends this state.',
    why: 'You receive this e-mail once a day for as long as messages to the channel fail.',
  },
  'zh-CN': {
    subject: (name) => `告警渠道失败：${name}`,
    fails: (name, type, since) => `自 ${since}起，告警渠道 ${name}（${type}）未能接收任何消息。`,
    error: (error) => `最近的错误：${error}`,
    advice: '请检查其设置并发送测试消息（vantage channels test）。新告警仍会发送到该渠道；成功接收一条消息后即恢复。',
    why: '只要该渠道持续失败，您每天会收到一封此邮件。',
  },
  'zh-TW': {
    subject: (name) => `告警管道失敗：${name}`,
    fails: (name, type, since) => `自 ${since}起，告警管道 ${name}（${type}）未能接收任何訊息。`,
    error: (error) => `最近的錯誤：${error}`,
    advice: '請檢查其設定並傳送測試訊息（vantage channels test）。新告警仍會傳送到此管道；成功接收一則訊息後即恢復。',
    why: '只要此管道持續失敗，您每天會收到一封此信。',
  },
};

/** Reports to the owner that a channel accepts no messages. */
export const alertChannelFailing: MailTemplate<AlertChannelFailingData> = {
  example: { name: 'Operations', type: 'webhook', since: '2026-11-21T09:16:00.000Z', error: 'HTTP 410' },
  en: (data, timezone) => content(data, { locale: 'en', timezone }),
  'zh-CN': (data, timezone) => content(data, { locale: 'zh-CN', timezone }),
  'zh-TW': (data, timezone) => content(data, { locale: 'zh-TW', timezone }),
};

function content({ name, type, since, error }: AlertChannelFailingData, { locale, timezone }: Reader): MailContent {
  const says = words[locale];
  return {
    subject: says.subject(oneLine(name)),
    blocks: [
      paragraph(says.fails(oneLine(name), type, instant(since, locale, timezone))),
      paragraph(says.error(oneLine(error))),
      paragraph(says.advice),
      note(says.why),
    ],
  };
}
