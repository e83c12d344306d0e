import type { Reader } from '../../../http/instant-text.js';
import type { Locale } from '../../../http/locale.js';
import { oneLine } from '../../../mail/one-line.js';
import { instant, type MailContent, type MailTemplate, note, paragraph } from '../../../mail/template.js';
import { shown } from './webhook-failing.js';

/** Data of the mail `webhook-disabled`. */
export interface WebhookDisabledData {
  readonly url: string;
  /** First failure since the last success, ISO 8601. */
  readonly since: string;
  /** True if the endpoint replied 410. */
  readonly isGone: boolean;
}

interface Words {
  readonly subject: string;
  readonly failing: (url: string, at: string) => string;
  readonly gone: (url: string) => string;
  readonly next: string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    subject: 'Your webhook endpoint is disabled',
    failing: (url, at) => `No event has been delivered to ${url} since ${at}, so the endpoint was disabled.`,
    gone: (url) => `${url} replied with status 410 (gone), so the endpoint was disabled.`,
    next: 'No further events are sent to it; they are kept for 30 days. To receive them, enable the endpoint with PATCH /v1/webhooks/{id} and request them with POST /v1/webhooks/{id}/recover.',
    why: 'You receive this e-mail because you own the webhook endpoint.',
  },
  'zh-CN': {
    subject: '您的 Webhook 端点已停用',
    failing: (url, at) => `自 ${at}起没有事件成功送达 ${url}，该端点已被停用。`,
    gone: (url) => `${url} 返回了状态码 410（已移除），该端点已被停用。`,
    next: '不会再向其发送事件；事件保留 30 天。如需接收，请通过 PATCH /v1/webhooks/{id} 重新启用，并通过 POST /v1/webhooks/{id}/recover 重新发送。',
    why: '您收到此邮件是因为您拥有该 Webhook 端点。',
  },
  'zh-TW': {
    subject: '您的 Webhook 端點已停用',
    failing: (url, at) => `自 ${at}起沒有事件成功送達 ${url}，該端點已被停用。`,
    gone: (url) => `${url} 傳回了狀態碼 410（已移除），該端點已被停用。`,
    next: '不會再向其傳送事件；事件保留 30 天。如需接收，請透過 PATCH /v1/webhooks/{id} 重新啟用，並透過 POST /v1/webhooks/{id}/recover 重新傳送。',
    why: '您收到此信是因為您擁有該 Webhook 端點。',
  },
};

/** Notifies the owner of a webhook endpoint that it was disabled. */
export const webhookDisabled: MailTemplate<WebhookDisabledData> = {
  example: { url: 'https://hooks.example/vantage', since: '2026-11-21T09:16:00.000Z', isGone: false },
  en: (data, timezone) => content(data, { locale: 'en', timezone }),
  'zh-CN': (data, timezone) => content(data, { locale: 'zh-CN', timezone }),
  'zh-TW': (data, timezone) => content(data, { locale: 'zh-TW', timezone }),
};

function content({ url, since, isGone }: WebhookDisabledData, { locale, timezone }: Reader): MailContent {
  const { subject, failing, gone, next, why } = words[locale];
  const address = oneLine(shown(url));
  const what = isGone ? gone(address) : failing(address, instant(since, locale, timezone));
  return { subject, blocks: [paragraph(what), paragraph(next), note(why)] };
}
