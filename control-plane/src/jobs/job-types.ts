import { sendMail } from '../mail/send-mail.js';
import { resetPasswordJob } from '../modules/accounts/index.js';

/** The one list of job types. NOTE: a type may leave it when no replica and no database has such jobs any more. */
export const jobTypes = [sendMail, resetPasswordJob] as const;

/** A type of the list: what is queued has somebody who runs it. */
export type ListedJobType = (typeof jobTypes)[number];
