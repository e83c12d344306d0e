import type { Knex } from 'knex';
import type { Locale } from '../../../http/locale.js';
import { localesOfProfiles } from './profile.js';
import { findUser } from './store.js';

/** Verified address, language and time zone of a user, for mails; null if there is no such user, or it is not verified, disabled or deleted. */
export async function findRecipient(
  db: Knex,
  userId: string,
): Promise<{ email: string; locale: Locale; timezone: string } | null> {
  const user = await findUser(db, userId);
  if (user === null || user.email === null) return null;
  if (user.email_verified_at === null || user.disabled_at !== null || user.deleting_at !== null) return null;
  if (user.deleted_at !== null) return null;
  return { email: user.email, locale: localesOfProfiles[user.locale], timezone: user.timezone };
}
