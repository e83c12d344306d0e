import type { Reader } from '../../../http/instant-text.js';
import type { Locale } from '../../../http/locale.js';
import { oneLine } from '../../../mail/one-line.js';
import { instant, type MailContent, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the mail `webhook-failing`. */
export interface WebhookFailingData {
  readonly url: string;
  /** First failure since the last success, ISO 8601. */
  readonly since: string;
}

interface Words {
  readonly subject: string;
  readonly since: (url: string, at: string) => string;
  readonly next: string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    subject: 'Your webhook endpoint is failing',
    since: (url, at) => `No event has been delivered to ${url} since ${at}.`,
    next: 'Failed events are retried, with up to ten attempts within about three days. An endpoint that fails for five days is disabled. GET /v1/webhooks/{id}/deliveries shows the responses.',
    why: 'You receive this e-mail because you own the webhook endpoint.',
  },
  'zh-CN': {
    subject: '您的 Webhook 端点持续失败',
    since: (url, at) => `自 ${at}起，没有事件成功送达 ${url}。`,
    next: '失败的事件会在约三天内最多发送十次。持续失败五天的端点将被停用。可通过 GET /v1/webhooks/{id}/deliveries 查看响应。',
    why: '您收到此邮件是因为您拥有该 Webhook 端点。',
  },
  'zh-TW': {
    subject: '您的 Webhook 端點持續失敗',
    since: (url, at) => `自 ${at}起，沒有事件成功送達 ${url}。`,
    next: '失敗的事件會在約三天內最多傳送十次。持續失敗五天的端點將被停用。可透過 GET /v1/webhooks/{id}/deliveries 檢視回應。',
    why: '您收到此信是因為您擁有該 Webhook 端點。',
  },
};

/** Warns the owner of a webhook endpoint that nothing was delivered for a day. */
export const webhookFailing: MailTemplate<WebhookFailingData> = {
  example: { url: 'https://hooks.example/vantage', since: '2026-11-21T09:16:00.000Z' },
  en: (data, timezone) => content(data, { locale: 'en', timezone }),
  'zh-CN': (data, timezone) => content(data, { locale: 'zh-CN', timezone }),
  'zh-TW': (data, timezone) => content(data, { locale: 'zh-TW', timezone }),
};

function content({ url, since }: WebhookFailingData, { locale, timezone }: Reader): MailContent {
  const { subject, since: says, next, why } = words[locale];
  return {
    subject,
    blocks: [paragraph(says(oneLine(shown(url)), instant(since, locale, timezone))), paragraph(next), note(why)],
  };
}

/** Address without its query, which may hold a secret of the receiver. */
export function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
