import type { Clock } from '@vantage/shared/clock.js';
import type { Destination } from '../deliveries/destination.js';
import { MASK } from '../deliveries/masking.js';
import { maskedLink, type ShownRequest, shownMail, shownRequest } from '../deliveries/shown-request.js';
import type { Attempt, ChannelType } from '../types/channel-type.js';
import type { Message } from '../types/message.js';

/** Request that a message would be sent as; null if the type sends none. Nothing is sent. */
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
    // links act for anyone who has them
    message: { ...message, links: message.links.map((link) => ({ ...link, url: maskedLink(link.url) })) },
    config: destination.config as never,
    recipient,
    locale: message.locale,
    nowMs: clock.now(),
    firstProviderId: null,
    async send(request) {
      shown.push(shownRequest(request, destination.secrets));
      // a type that asks for a token first goes on with it
      const token = Buffer.from(JSON.stringify({ access_token: MASK }));
      return { status: 200, headers: {}, body: token, isComplete: true, excerpt: '', durationMs: 0 };
    },
    async mail(mail) {
      shown.push(shownMail({ ...mail, to: recipient ?? '', locale: message.locale }, destination.secrets));
      return '<message@id>';
    },
    ...(recipient === null ? {} : { unsubscribeUrl: `https://vantage.invalid/${MASK}` }),
    ...(recipient === null || message.monitor === undefined ? {} : { stopUrl: `https://vantage.invalid/${MASK}` }),
  };
  await type.deliver(attempt, isPlain).catch(() => {});
  return shown.at(-1) ?? null;
}
