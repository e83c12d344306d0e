import { PermanentFailure } from '../jobs/job.js';

/** What a failed attempt to send tells of itself; of the mail library. */
interface SmtpError {
  /** `ECONNECTION`, `EAUTH`, `EENVELOPE`, … */
  readonly code?: string;
  /** Of the system beneath: `ECONNREFUSED`. */
  readonly originalCode?: string;
  /** The server's reply, code and text. */
  readonly response?: string;
  /** Nothing but 5xx, without those that are about the session. */
  readonly permanent?: boolean;
  /** What the server replied to: `MAIL FROM`, `RCPT TO`, `DATA`, `AUTH PLAIN`. */
  readonly command?: string;
}

/**
 * The error to end an attempt with. Permanent when the server refused this recipient or this message for good; a refused
 * password or sender is the operator's to mend, so those are tried again.
 */
export function smtpFailure(error: unknown, recipient: string): Error {
  const { code, originalCode, response, permanent, command } = (error ?? {}) as SmtpError;
  if (response === undefined)
    return new Error(`the mail server could not be used (${originalCode ?? code ?? 'no reason given'})`);
  const message = `the mail server refused ${command ?? 'the message'}: ${withoutPersonal(response, recipient)}`;
  const isForGood = permanent === true && (command === 'RCPT TO' || command === 'DATA');
  return isForGood ? new PermanentFailure(message) : new Error(message);
}

const MAX_LENGTH = 200;

/** Servers repeat what they refuse: addresses or the user part of one, and links with what is secret in them. */
function withoutPersonal(response: string, recipient: string): string {
  const user = recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase();
  const words = response.split(/[\s\p{C}]+/u).map((word) => {
    const isPersonal = /[@/=]/.test(word) || (user.length > 2 && word.toLowerCase().includes(user));
    return isPersonal ? '…' : word;
  });
  return words.join(' ').slice(0, MAX_LENGTH);
}
