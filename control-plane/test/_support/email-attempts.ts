import { systemClock } from '@vantage/shared/clock.js';
import { createSealer } from '../../src/crypto/sealing.js';
import { Mailer } from '../../src/mail/mailer.js';
import type { Attempt, Outcome } from '../../src/modules/alerts/types/channel-type.js';
import { emailType } from '../../src/modules/alerts/types/email.js';
import type { Message } from '../../src/modules/alerts/types/message.js';
import { patientSmtp } from './patient-smtp.js';

const to = 'ops@example.com';

/** Delivers messages by e-mail through the real transport; `host`: of the mail server. */
export function emailDeliverer(host: string): (message: Message, isPlain?: boolean) => Promise<Outcome> {
  const mailer = new Mailer({
    sealer: createSealer(Buffer.alloc(32, 7), 'mails'),
    from: { name: 'Vantage', address: 'vantage@vantage.example' },
    transport: patientSmtp(`smtp://${host}`),
    templates: {},
  });
  return (message, isPlain = false) => {
    const { id: key, locale } = message;
    const mark = { key, to, locale, queuedAtMs: systemClock.now() };
    const attempt = {
      message,
      config: { to: [to] },
      recipient: to,
      locale,
      nowMs: message.atMs,
      firstProviderId: null,
      unsubscribeUrl: 'https://vantage.example/unsubscribe/token-02',
      mail: (mail: Parameters<NonNullable<Attempt['mail']>>[0]) =>
        mailer.sendAtOnce({ ...mail, ...mark }, new AbortController().signal),
    };
    return emailType.deliver(attempt as never, isPlain);
  };
}
