import type { Mail } from '../../../mail/index.js';

/** Sends letters to users, through the queue and in the caller's transaction. */
export type AccountMail = Pick<Mail, 'enqueue'>;
