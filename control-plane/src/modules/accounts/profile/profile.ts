import { isTimezone } from '@vantage/shared/timezone.js';
import type { Static } from 'typebox';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Locale } from '../../../http/locale.js';
import { type ProfileChangeSchema, type ProfileSchema, profileLocales } from './schema.js';
import type { UserRow } from './store.js';

export type Profile = Static<typeof ProfileSchema>;
export type ProfileChange = Static<typeof ProfileChangeSchema>;

/** Profile of a user, as the user sees it. */
export function profileOf(user: UserRow): Profile {
  return {
    id: user.id,
    email: user.email ?? '',
    email_verified: user.email_verified_at !== null,
    phone: '',
    phone_verified: false,
    has_password: user.password_hash !== null,
    display_name: user.display_name,
    avatar_url: user.avatar_url,
    bio: user.bio,
    locale: user.locale,
    timezone: user.timezone,
    theme: user.theme,
    status: user.disabled_at === null ? 'active' : 'disabled',
  };
}

/** Columns that a change sets. @throws ApiError ACCOUNT_LOCALE_UNSUPPORTED, ACCOUNT_TIMEZONE_INVALID, VALIDATION_FAILED */
export function planProfileChange(change: ProfileChange): Partial<UserRow> {
  const { display_name, bio, locale, timezone, theme } = change;
  return {
    ...(display_name === undefined ? {} : { display_name: cleanLine(display_name, 'display_name') }),
    ...(bio === undefined ? {} : { bio: blankToNull(bio) }),
    ...(locale === undefined ? {} : { locale: parseProfileLocale(locale) }),
    ...(timezone === undefined ? {} : { timezone: parseTimezone(timezone) }),
    ...(theme === undefined ? {} : { theme }),
  };
}

/** Language of each profile locale. */
export const localesOfProfiles = { en: 'en', cn: 'zh-CN', tw: 'zh-TW' } as const satisfies Record<
  UserRow['locale'],
  Locale
>;

export function profileLocaleOf(locale: Locale): UserRow['locale'] {
  return profileLocales.find((candidate) => localesOfProfiles[candidate] === locale) ?? 'en';
}

function blankToNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text.trim();
}

/** Checks that a name is one line, since mails and lists contain it; blank becomes null. @throws ApiError VALIDATION_FAILED */
export function cleanLine(text: string | null, field: string): string | null {
  if (text !== null && /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)) {
    throw fieldError(field, 'format', 'must be one line of text without control characters');
  }
  return blankToNull(text);
}

function parseProfileLocale(text: string): UserRow['locale'] {
  const locale = profileLocales.find((candidate) => candidate === text);
  if (locale !== undefined) return locale;
  const message = `must be one of ${profileLocales.join(', ')}`;
  throw new ApiError('ACCOUNT_LOCALE_UNSUPPORTED', { details: { locale: [{ code: 'enum', message }] } });
}

function parseTimezone(text: string): string {
  if (isTimezone(text)) return text;
  const message = 'must be an IANA time zone, for example Europe/Berlin';
  throw new ApiError('ACCOUNT_TIMEZONE_INVALID', { details: { timezone: [{ code: 'format', message }] } });
}
