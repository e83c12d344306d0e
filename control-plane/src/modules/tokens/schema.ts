import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { apiKeyScopes, scopes } from '../../http/scopes.js';

/** Longest and default validity of an API key, in days (API specification 8). */
export const API_KEY_DAYS = 90;
/** Longest validity of a personal access token that expires, in days. */
export const PERSONAL_TOKEN_DAYS = 365;
/** Greatest number of valid keys of an account, and of valid tokens of a user. */
export const MAX_TOKENS = 100;

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, description: 'Purpose.' });

// secret scanners do not report them: their checksum is wrong
const exampleKey = `sk_live_${'x'.repeat(61)}`;
const exampleToken = `svc_pat_${'x'.repeat(61)}`;
const Origin = { example: 'https://app.example.com' };

const lifeFields = {
  status: Type.Enum(['active', 'revoked'], {
    type: 'string',
    description: '`revoked` after a revocation. Expiry does not change it: see `expires_at`.',
  }),
  created_at: Instant,
  expires_at: nullable(Instant, 'Time of expiry; null: never.'),
  last_used_at: nullable(Instant, 'Time of the last use, to the minute; null: never used.'),
};

const apiKeyTypes = ['production', 'test'] as const;

const apiKeyFields = {
  id: Type.String({ pattern: idPattern(idPrefixes.apiKey) }),
  name: Type.String({ example: 'dashboard' }),
  key_prefix: Type.String({
    description: 'Beginning of the key: `sk_live_` or `sk_test_` and four characters.',
    example: 'sk_live_xxxx...',
  }),
  type: Type.Enum([...apiKeyTypes], {
    type: 'string',
    description: 'Test keys see only objects that test keys created.',
  }),
  scopes: Type.Array(Type.Enum([...apiKeyScopes], { type: 'string' }), {
    description: 'Scopes as requested at creation.',
  }),
  allowed_origins: Type.Array(Type.String(Origin), {
    description: 'Unless empty, requests with another `Origin` are refused.',
  }),
  ...lifeFields,
};

/** An API key in a list, without the secret (API specification 2.6). */
export const ApiKeySchema = Type.Object(apiKeyFields, { additionalProperties: false, title: 'ApiKey' });

/** Response to the creation of an API key, with the secret. */
export const ApiKeyCreatedSchema = Type.Object(
  { ...apiKeyFields, key: Type.String({ description: 'The key itself, shown only once.', example: exampleKey }) },
  { additionalProperties: false, title: 'ApiKeyCreated' },
);

const expiryFields = (days: number, otherwise: string) => ({
  expires_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: days, description: `Validity in days. Without it ${otherwise}.` }),
  ),
  expires_at: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: `Time of expiry, instead of \`expires_days\`; at most ${days} days from now. Null: as if absent.`,
    }),
  ),
});

/** Request to create an API key (API specification 2.6, 4.4). */
export const ApiKeyCreateSchema = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(Type.Enum([...apiKeyScopes], { type: 'string' }), {
        uniqueItems: true,
        description:
          '`read` stands for all read scopes, `write` for all write scopes and `probe`. Default, if absent or empty: both. `probe` includes `probe:read`.',
      }),
    ),
    type: Type.Optional(Type.Enum([...apiKeyTypes], { type: 'string', default: 'production' })),
    allowed_origins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300, ...Origin }), {
        maxItems: 20,
        description:
          'Origins, `scheme://host[:port]` with http or https, from which browsers may send this key. Requests without an `Origin` are not checked.',
      }),
    ),
    ...expiryFields(API_KEY_DAYS, `and without \`expires_at\`: ${API_KEY_DAYS}`),
  },
  { additionalProperties: false },
);

const personalTokenFields = {
  id: Type.String({ pattern: idPattern(idPrefixes.personalAccessToken) }),
  name: Type.String({ example: 'laptop' }),
  token_prefix: Type.String({
    description: 'Beginning of the token: `svc_pat_` and four characters.',
    example: 'svc_pat_xxxx...',
  }),
  scopes: Type.Array(Type.Enum([...scopes], { type: 'string' }), { example: ['probe', 'account'] }),
  ...lifeFields,
};

/** A personal access token in a list, without the secret. */
export const PersonalTokenSchema = Type.Object(personalTokenFields, {
  additionalProperties: false,
  title: 'PersonalAccessToken',
});

/** Response to the creation of a personal access token, with the secret. */
export const PersonalTokenCreatedSchema = Type.Object(
  {
    ...personalTokenFields,
    token: Type.String({ description: 'The token itself, shown only once.', example: exampleToken }),
  },
  { additionalProperties: false, title: 'PersonalAccessTokenCreated' },
);

/** Request to create a personal access token. */
export const PersonalTokenCreateSchema = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(Type.Enum([...scopes], { type: 'string' }), {
        minItems: 1,
        uniqueItems: true,
        description:
          'Default: all scopes except `admin`, which administrators must name explicitly. Every token has `account` in addition. `probe` includes `probe:read`.',
      }),
    ),
    ...expiryFields(PERSONAL_TOKEN_DAYS, 'and without `expires_at` it does not expire'),
  },
  { additionalProperties: false },
);
