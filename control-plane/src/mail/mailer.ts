import { isIP, isIPv6 } from 'node:net';
import type { Sealer } from '../sealing.js';
import type { Mailbox } from '../setting-values.js';
import { write } from './letter.js';
import { composeMessage, type MailTransport } from './message.js';
import { unsealMail } from './queued-mail.js';
import { renderMail } from './render.js';

interface MailerOptions {
  readonly sealer: Sealer;
  readonly from: Mailbox;
  readonly transport: MailTransport;
}

/** Turns queued letters into messages and hands them to the transport. */
export class Mailer {
  constructor(private readonly options: MailerOptions) {}

  /** Sends what `sealMail` sealed. @throws as the transport and `unsealMail` */
  async send(sealed: string, signal: AbortSignal): Promise<void> {
    const { sealer, from, transport } = this.options;
    const mail = unsealMail(sealed, sealer);
    const content = renderMail(write(mail.letter), mail.letter.locale);
    await transport.deliver(await composeMessage(mail, content, from), signal);
  }
}

/** Who sends unless the operator says otherwise; a host that is an address stands in brackets (RFC 5321 section 4.1.3). */
export function defaultSender(publicUrl: string): Mailbox {
  const host = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  const domain = isIPv6(host) ? `[IPv6:${host}]` : isIP(host) === 0 ? host : `[${host}]`;
  return { name: 'Vantage', address: `vantage@${domain}` };
}
