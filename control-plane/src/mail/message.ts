import type { Locale } from '../http/locale.js';
import type { Mailbox } from '../setting-values.js';
import type { QueuedMail } from './queued-mail.js';
import type { RenderedMail } from './render.js';

/** A message that is ready to leave, and what transports know of it. */
export interface Message {
  /** Addresses of the envelope (RFC 5321). */
  readonly from: string;
  readonly to: string;
  /** The whole of it (RFC 5322), CRLF at the end of its lines. */
  readonly source: Buffer;
  /** Its text for people who read files. */
  readonly text: string;
  readonly template: string;
  /** Milliseconds since the epoch. */
  readonly queuedAtMs: number;
  /** As in QueuedMail. */
  readonly messageId: string;
}

/** What takes messages: a mail server, or a directory. */
export interface MailTransport {
  /** @throws PermanentFailure when it will never be taken; any other error means not now. Both without addresses. */
  deliver(message: Message, signal: AbortSignal): Promise<void>;
}

/** Makes the message of a letter: the same bytes at every attempt. */
export async function composeMessage(mail: QueuedMail, content: RenderedMail, from: Mailbox): Promise<Message> {
  const { letter, messageId, queuedAtMs } = mail;
  // only here: it takes 40 ms to load, which most runs of most programs don't need
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: letter.to },
    subject: content.subject,
    text: content.text,
    html: content.html,
    messageId,
    date: new Date(queuedAtMs),
    headers: headersOf(letter.locale),
    baseBoundary: messageId.replace(/[^a-z0-9]/gi, ''),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const about = { template: letter.template, messageId, queuedAtMs };
  return { from: from.address, to: letter.to, source: await node.build(), text: content.text, ...about };
}

/** Nobody's out-of-office notice need answer these (RFC 3834). */
function headersOf(locale: Locale): Record<string, string> {
  return { 'Auto-Submitted': 'auto-generated', 'Content-Language': locale };
}
