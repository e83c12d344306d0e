import type { Clock } from '@vantage/shared/clock.js';
import { SecretMask } from '../../../deliver/index.js';
import { renderMail } from '../../../mail/render.js';
import type { Attempt, ChannelType } from '../types/channel-type.js';
import type { Message } from '../types/message.js';
import type { Destination } from './destination.js';
import { MASK, maskRecipient } from './masking.js';

/** Request as people see it, secrets masked. A mail has the method `SMTP`. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Request that a message would be sent as; null: the type sends none. Nothing is sent. */
export async function dryRun(
  type: ChannelType,
  message: Message,
  {
    destination,
    recipient,
    isPlain,
    clock,
  }: {
    readonly destination: Destination;
    readonly recipient: string | null;
    readonly isPlain: boolean;
    readonly clock: Clock;
  },
): Promise<ShownRequest | null> {
  const shown: ShownRequest[] = [];
  const attempt: Attempt<never> = {
    // links act for whoever has them
    message: { ...message, links: message.links.map((link) => ({ ...link, url: maskedLink(link.url) })) },
    config: destination.config as never,
    recipient,
    locale: message.locale,
    nowMs: clock.now(),
    firstProviderId: null,
    async send({ method, url, headers = {}, body = '', secrets = [] }) {
      const hidden = SecretMask.of([...destination.secrets, ...secrets]);
      const mask = (text: string) => hidden.apply(text);
      shown.push({
        method,
        url: mask(url),
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)])),
        body: mask(String(body)),
      });
      // a type that asks for a token first goes on with it
      const token = Buffer.from(JSON.stringify({ access_token: MASK }));
      return { status: 200, headers: {}, body: token, isComplete: true, excerpt: '', durationMs: 0 };
    },
    async mail({ content, headers = {} }) {
      const { subject, text } = renderMail(content, message.locale);
      const to = `mailto:${maskRecipient(recipient ?? '')}`;
      shown.push({ method: 'SMTP', url: to, headers: { Subject: subject, ...headers }, body: text });
      return '<message@id>';
    },
    ...(recipient === null ? {} : { unsubscribeUrl: `https://vantage.invalid/${MASK}` }),
    ...(recipient === null || message.monitor === undefined ? {} : { stopUrl: `https://vantage.invalid/${MASK}` }),
  };
  await type.deliver(attempt, isPlain).catch(() => {});
  return shown.at(-1) ?? null;
}

function maskedLink(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/${MASK}` : MASK;
}
