import { isIP, isIPv6 } from 'node:net';
import type { Mailbox } from '../config/setting-values.js';
import type { Sealer } from '../crypto/sealing.js';
import { PermanentFailure } from '../jobs/job.js';
import { write } from './letter.js';
import { composeMessage, type MailTransport, type Postmark } from './message.js';
import { unsealMail } from './queued-mail.js';
import { renderMail } from './render.js';
import type { MailContent, MailTemplates } from './template.js';

interface MailerOptions {
  readonly sealer: Sealer;
  readonly from: Mailbox;
  readonly transport: MailTransport;
  readonly templates: MailTemplates;
}

/** Mail that its sender hands over at each attempt, without the queue. */
export interface DirectMail extends Omit<Postmark, 'messageId'> {
  /** Name under which the Message-ID is made: the same at every attempt. */
  readonly key: string;
  readonly content: MailContent;
  /** True for a mail without HTML. */
  readonly isPlain: boolean;
}

/** Turns letters into messages and hands them to the transport. */
export class Mailer {
  constructor(private readonly options: MailerOptions) {}

  /**
   * Sends a mail sealed by `sealMail`.
   * @throws as the transport and `unsealMail`, and PermanentFailure for a template that this version does not have
   */
  async send(sealed: string, signal: AbortSignal): Promise<void> {
    const { sealer, from, transport, templates } = this.options;
    const mail = unsealMail(sealed, sealer);
    const { letter, messageId, queuedAtMs } = mail;
    const content = write(letter, templates);
    if (content === null) throw new PermanentFailure(`no such mail "${letter.template}"`);
    const mark = { to: letter.to, locale: letter.locale, template: letter.template, messageId, queuedAtMs };
    await transport.deliver(await composeMessage(mark, renderMail(content, letter.locale), from), signal);
  }

  /** Sends a mail at once. @returns its Message-ID @throws as the transport */
  async sendAtOnce({ key, content, isPlain, ...mark }: DirectMail, signal: AbortSignal): Promise<string> {
    const { from, transport } = this.options;
    const messageId = `<${key}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`;
    const rendered = renderMail(content, mark.locale);
    const shown = isPlain ? { ...rendered, html: '' } : rendered;
    await transport.deliver(await composeMessage({ ...mark, messageId }, shown, from), signal);
    return messageId;
  }
}

/** Sender of mails by default; a host that is an address stands in brackets (RFC 5321 section 4.1.3). */
export function defaultSender(publicUrl: string): Mailbox {
  const host = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1');
  const domain = isIPv6(host) ? `[IPv6:${host}]` : isIP(host) === 0 ? host : `[${host}]`;
  return { name: 'Vantage', address: `vantage@${domain}` };
}
