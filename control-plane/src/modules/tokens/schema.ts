import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { apiKeyScopes, scopes } from '../../http/scopes.js';

/** Longest an API key is valid, and how long unless its maker says otherwise (API specification 8). */
export const API_KEY_DAYS = 90;
/** Longest a personal access token is valid that does expire. */
export const PERSONAL_TOKEN_DAYS = 365;
/** Keys, and tokens, of one account that may be usable at once. */
export const MAX_TOKENS = 100;

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, description: 'What it is for.' });

// no scanner reports them: their checksum does not fit
const exampleKey = `sk_live_${'x'.repeat(61)}`;
const exampleToken = `svc_pat_${'x'.repeat(61)}`;
const Origin = { example: 'https://app.example.com' };

const lifeFields = {
  status: Type.Enum(['active', 'revoked'], {
    type: 'string',
    description: '`revoked` once it was; one that has expired says so by `expires_at` alone.',
  }),
  created_at: Instant,
  expires_at: nullable(Instant, 'From then on it is refused; null: never.'),
  last_used_at: nullable(Instant, 'To the minute; null: not yet.'),
};

const apiKeyTypes = ['production', 'test'] as const;

const apiKeyFields = {
  id: Type.String({ pattern: idPattern(idPrefixes.apiKey) }),
  name: Type.String({ example: 'dashboard' }),
  key_prefix: Type.String({
    description: 'How the key begins: `sk_live_` or `sk_test_` and four characters.',
    example: 'sk_live_xxxx...',
  }),
  type: Type.Enum([...apiKeyTypes], { type: 'string', description: 'A test key sees only what test keys made.' }),
  scopes: Type.Array(Type.Enum([...apiKeyScopes], { type: 'string' }), { description: 'As they were given.' }),
  allowed_origins: Type.Array(Type.String(Origin), {
    description: 'Where it is not empty, a request with another `Origin` is refused.',
  }),
  ...lifeFields,
};

/** An API key as lists show it (API specification 2.6): never the key itself. */
export const ApiKeySchema = Type.Object(apiKeyFields, { additionalProperties: false, title: 'ApiKey' });

/** The answer to making one: the key, this once. */
export const ApiKeyCreatedSchema = Type.Object(
  { ...apiKeyFields, key: Type.String({ description: 'The key itself, shown this once.', example: exampleKey }) },
  { additionalProperties: false, title: 'ApiKeyCreated' },
);

const expiryFields = (days: number, otherwise: string) => ({
  expires_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: days, description: `Days it is valid. Without it ${otherwise}.` }),
  ),
  expires_at: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: `Instead of \`expires_days\`: when it ends, at most ${days} days from now. Null is as if left out.`,
    }),
  ),
});

/** What an API key is made of (API specification 2.6, 4.4). */
export const ApiKeyCreateSchema = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(Type.Enum([...apiKeyScopes], { type: 'string' }), {
        uniqueItems: true,
        description:
          '`read` is every reading scope, `write` every writing one and `probe`; both when left out or empty. `probe` includes `probe:read`.',
      }),
    ),
    type: Type.Optional(Type.Enum([...apiKeyTypes], { type: 'string', default: 'production' })),
    allowed_origins: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300, ...Origin }), {
        maxItems: 20,
        description:
          'Origins, `scheme://host[:port]` of http or https, that browsers may send with this key. Requests without an `Origin` are not asked.',
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
    description: 'How the token begins: `svc_pat_` and four characters.',
    example: 'svc_pat_xxxx...',
  }),
  scopes: Type.Array(Type.Enum([...scopes], { type: 'string' }), { example: ['probe', 'account'] }),
  ...lifeFields,
};

/** A personal access token as lists show it: never the token itself. */
export const PersonalTokenSchema = Type.Object(personalTokenFields, {
  additionalProperties: false,
  title: 'PersonalAccessToken',
});

/** The answer to making one: the token, this once. */
export const PersonalTokenCreatedSchema = Type.Object(
  {
    ...personalTokenFields,
    token: Type.String({ description: 'The token itself, shown this once.', example: exampleToken }),
  },
  { additionalProperties: false, title: 'PersonalAccessTokenCreated' },
);

/** What a personal access token is made of. */
export const PersonalTokenCreateSchema = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(Type.Enum([...scopes], { type: 'string' }), {
        minItems: 1,
        uniqueItems: true,
        description: 'All when left out. Every token carries `account` besides; `probe` includes `probe:read`.',
      }),
    ),
    ...expiryFields(PERSONAL_TOKEN_DAYS, 'and without `expires_at` it does not expire'),
  },
  { additionalProperties: false },
);
