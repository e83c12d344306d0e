import type { Mailbox } from '../config/setting-values.js';
import type { Locale } from '../http/locale.js';
import type { RenderedMail } from './render.js';

/** Message that is ready to be sent, with the data that transports need. */
export interface Message {
  /** Addresses of the envelope (RFC 5321). */
  readonly from: string;
  readonly to: string;
  /** The whole of it (RFC 5322), CRLF at the end of its lines. */
  readonly source: Buffer;
  /** Plain text, for people who read the files. */
  readonly text: string;
  readonly template: string;
  /** Milliseconds since the epoch. */
  readonly queuedAtMs: number;
  /** As in QueuedMail. */
  readonly messageId: string;
}

/** Destination of messages: a mail server, or a directory. */
export interface MailTransport {
  /** @throws PermanentFailure if it will never be accepted; any other error is temporary. Both without addresses. */
  deliver(message: Message, signal: AbortSignal): Promise<void>;
}

/** Properties of a message besides its content. */
export interface Postmark extends Pick<Message, 'to' | 'template' | 'queuedAtMs' | 'messageId'> {
  readonly locale: Locale;
  /** Headers in addition to those of every mail. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a message: the same bytes at every attempt. An empty `html` leaves that part out. */
export async function composeMessage(mark: Postmark, content: RenderedMail, from: Mailbox): Promise<Message> {
  const { to, locale, template, messageId, queuedAtMs, headers = {} } = mark;
  // imported here: it takes 40 ms to load, and most processes do not need it
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: to },
    subject: content.subject,
    text: content.text,
    ...(content.html === '' ? {} : { html: content.html }),
    messageId,
    date: new Date(queuedAtMs),
    headers: { ...headersOf(locale), ...headers },
    baseBoundary: messageId.replace(/[^a-z0-9]/gi, ''),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const about = { template, messageId, queuedAtMs };
  return { from: from.address, to, source: await node.build(), text: content.text, ...about };
}

/** Headers of automatic mail, to which no out-of-office notice should reply (RFC 3834). */
function headersOf(locale: Locale): Record<string, string> {
  return { 'Auto-Submitted': 'auto-generated', 'Content-Language': locale };
}
