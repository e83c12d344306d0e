import { PermanentFailure } from '../jobs/job.js';

/** The mail server refused a recipient or a message for good. */
export class MailRefusal extends PermanentFailure {
  constructor(
    message: string,
    readonly of: 'recipient' | 'message',
  ) {
    super(message);
  }
}

/** Error of the mail library for a failed attempt to send. */
interface SmtpError {
  /** `ECONNECTION`, `EAUTH`, `EENVELOPE`, … */
  readonly code?: string;
  /** Error code of the operating system: `ECONNREFUSED`. */
  readonly originalCode?: string;
  /** The server's reply, code and text. */
  readonly response?: string;
  /** Nothing but 5xx, without those that are about the session. */
  readonly permanent?: boolean;
  /** Command that the server replied to: `MAIL FROM`, `RCPT TO`, `DATA`, `AUTH PLAIN`. */
  readonly command?: string;
}

/**
 * Error to end an attempt with. It is permanent if the server refused this recipient or this message for good; a
 * refused password or sender must be corrected by the operator, so those are retried.
 */
export function smtpFailure(error: unknown, recipient: string): Error {
  const { code, originalCode, response, permanent, command } = (error ?? {}) as SmtpError;
  if (response === undefined)
    return new Error(`cannot use the mail server (${originalCode ?? code ?? 'no reason given'})`);
  const message = `the mail server refused ${command ?? 'the message'}: ${withoutPersonal(response, recipient)}`;
  if (command === 'STARTTLS') return new Error(`${message}; ${WITHOUT_TLS}`);
  const isForGood = permanent === true && (command === 'RCPT TO' || command === 'DATA');
  return isForGood ? new MailRefusal(message, command === 'RCPT TO' ? 'recipient' : 'message') : new Error(message);
}

const WITHOUT_TLS = 'mail is not sent in the clear unless VANTAGE_SMTP_URL ends in ?tls=optional';

const MAX_LENGTH = 200;

/** Masks what servers repeat in refusals: addresses or their user part, and links with secrets. */
function withoutPersonal(response: string, recipient: string): string {
  const user = recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase();
  const words = response.split(/[\s\p{C}]+/u).map((word) => {
    const isPersonal = /[@/=]/.test(word) || (user.length > 2 && word.toLowerCase().includes(user));
    return isPersonal ? '…' : word;
  });
  return words.join(' ').slice(0, MAX_LENGTH);
}
