import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../passwords/passwords.js';

const UserId = Type.String({ pattern: idPattern(idPrefixes.user), examples: ['u_1CVGs2sCvBk5vA7vPbXH3x'] });
const SessionId = Type.String({ pattern: idPattern(idPrefixes.session), examples: ['ses_1CVGs2sCvBk5vA7vPbXH3x'] });
const Instant = Type.String({ format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] });

export const EmailSchema = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'E-mail address; compared and stored in lower case.',
  examples: ['ada@example.com'],
});

/** A new password. The minimum length is not in the schema, since a short password is weak, not malformed. */
export const NewPasswordSchema = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD_LENGTH,
  description: `At least ${MIN_PASSWORD_LENGTH} characters, and not one of the most common passwords.`,
  examples: ['correct horse battery staple'],
});

export const PasswordSchema = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD_LENGTH,
  examples: ['correct horse battery staple'],
});

/** One-time token from a mail. */
export const MailedTokenSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Token from the mail, svc_ch_….',
  examples: ['svc_ch_…'],
});

export const profileLocales = ['cn', 'en', 'tw'] as const;
export const profileThemes = ['system', 'light', 'dark'] as const;

/** A profile (API specification 2.6). */
export const ProfileSchema = Type.Object(
  {
    id: UserId,
    email: Type.String({ description: 'Empty when there is none.', examples: ['ada@example.com'] }),
    email_verified: Type.Boolean({ examples: [true] }),
    phone: Type.String({ description: 'Masked; empty when there is none.', examples: [''] }),
    phone_verified: Type.Boolean({ examples: [false] }),
    has_password: Type.Boolean({ examples: [true] }),
    display_name: Type.Union([Type.String(), Type.Null()], { examples: ['Ada'] }),
    avatar_url: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    bio: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    locale: Type.Enum([...profileLocales], { type: 'string', examples: ['en'] }),
    timezone: Type.String({ description: 'IANA name.', examples: ['Europe/Berlin'] }),
    theme: Type.Enum([...profileThemes], { type: 'string', examples: ['system'] }),
    status: Type.Enum(['active', 'disabled'], { type: 'string', examples: ['active'] }),
  },
  { additionalProperties: false, title: 'Profile' },
);

/** Changes to a profile; absent fields keep their values. Lengths are in Unicode characters, not bytes. */
export const ProfileChangeSchema = Type.Object(
  {
    display_name: Type.Optional(
      Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'Null or blank clears it.' }),
    ),
    bio: Type.Optional(
      Type.Union([Type.String({ maxLength: 500 }), Type.Null()], { description: 'Null or blank clears it.' }),
    ),
    locale: Type.Optional(Type.String({ maxLength: 16, description: `One of ${profileLocales.join(', ')}.` })),
    timezone: Type.Optional(Type.String({ maxLength: 64, description: 'IANA name.' })),
    theme: Type.Optional(Type.Enum([...profileThemes], { type: 'string' })),
  },
  { additionalProperties: false, title: 'ProfileChange' },
);

/** Tokens with which a client acts for a user, and the user (API specification 2.6, both forms in one). */
export const AuthSchema = Type.Object(
  {
    access_token: Type.String({
      description: 'A JWT for the Authorization header.',
      examples: ['eyJhbGciOiJFZERTQSJ9…'],
    }),
    refresh_token: Type.String({
      description: 'Exchanged for the next pair of tokens; works once.',
      examples: ['svc_rt_…'],
    }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Validity of the access token, in seconds.', examples: [900] }),
    user_id: UserId,
    user: ProfileSchema,
  },
  { additionalProperties: false, title: 'Auth' },
);

/** A session in a list. */
export const SessionSchema = Type.Object(
  {
    id: SessionId,
    is_current: Type.Boolean({ description: 'True if this request uses the session.', examples: [true] }),
    kind: Type.Enum(['token', 'browser'], {
      type: 'string',
      description: '`token`: of a program; `browser`: of the pages.',
      examples: ['token'],
    }),
    methods: Type.Array(Type.String({ examples: ['password'] }), {
      description: 'Methods by which the user proved their identity.',
    }),
    address: Type.String({ description: 'IP address that signed in.', examples: ['203.0.113.7'] }),
    user_agent: Type.Union([Type.String(), Type.Null()], { examples: ['curl/8.5.0'] }),
    created_at: Instant,
    last_used_at: Instant,
    expires_at: Instant,
  },
  { additionalProperties: false, title: 'Session' },
);

/** A message for people (API specification 2.1). */
export const MessageSchema = Type.Object(
  { message: Type.String({ examples: ['Done.'] }) },
  { additionalProperties: false, title: 'Message' },
);
