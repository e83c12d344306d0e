import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';

const Instant = Type.String({ format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] });

/** Code of an authenticator app; where an operation says so, a recovery code. */
export const OtpSchema = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'Six digits of the authenticator app, or a recovery code.',
  examples: ['492039'],
});

/** Code that was mailed. */
export const EmailCodeSchema = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'Six digits from the mail.',
  examples: ['492039'],
});

export const RecoveryCodesSchema = Type.Array(Type.String({ examples: ['7k3m9-x2p4q'] }), {
  description: 'Ten codes, each of which stands in for the authenticator app once. They are not shown again.',
});

/** Bytes of WebAuthn, base64url. */
const Encoded = Type.String({ pattern: '^[A-Za-z0-9_-]*$', maxLength: 8_192, examples: ['eyJ0eXBlIjoi…'] });

const credential = {
  id: Encoded,
  rawId: Encoded,
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Record(Type.String(), Type.Unknown(), { default: {}, examples: [{}] }),
};

/** Token of a challenge for a passkey. */
export const PasskeyChallengeSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'As the operation with the options returned it; valid for five minutes, and once.',
  examples: ['svc_ch_…'],
});

/** Credential that a browser made, as JSON (WebAuthn Level 3 section 5.1): it may have further members. */
export const RegistrationResponseSchema = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Encoded,
      attestationObject: Encoded,
      transports: Type.Optional(
        Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['internal'] }), { maxItems: 16 }),
      ),
    }),
  },
  { title: 'RegistrationResponse', description: 'The `toJSON()` of what `navigator.credentials.create()` returned.' },
);

export const AuthenticationResponseSchema = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Encoded,
      authenticatorData: Encoded,
      signature: Encoded,
      userHandle: Type.Optional(Encoded),
    }),
  },
  { title: 'AuthenticationResponse', description: 'The `toJSON()` of what `navigator.credentials.get()` returned.' },
);

export const PasskeyNameSchema = Type.String({ minLength: 1, maxLength: 64, examples: ['Laptop'] });

/** A passkey in a list. */
export const PasskeySchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.passkey), examples: ['pk_1CVGs2sCvBk5vA7vPbXH3x'] }),
    name: Type.String({ examples: ['Laptop'] }),
    created_at: Instant,
    last_used_at: Type.Union([Instant, Type.Null()]),
  },
  { additionalProperties: false, title: 'Passkey' },
);

/** An account at an external provider that a user signs in with. */
export const IdentitySchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.identity), examples: ['idn_1CVGs2sCvBk5vA7vPbXH3x'] }),
    provider: Type.String({ description: 'Id of the provider.', examples: ['github'] }),
    label: Type.Union([Type.String(), Type.Null()], {
      description: 'Name or address that the provider showed last.',
      examples: ['ada@example.com'],
    }),
    created_at: Instant,
    last_used_at: Type.Union([Instant, Type.Null()]),
  },
  { additionalProperties: false, title: 'Identity' },
);

/** Ways that a user can sign in, and the protection of the account. */
export const FactorsSchema = Type.Object(
  {
    totp: Type.Union([Type.Object({ enabled_at: Instant }, { additionalProperties: false }), Type.Null()], {
      description: 'The authenticator app; null if there is none.',
    }),
    recovery_codes_left: Type.Integer({ examples: [10] }),
    has_password: Type.Boolean({ examples: [true] }),
    passkeys: Type.Array(PasskeySchema),
    identities: Type.Array(IdentitySchema),
  },
  { additionalProperties: false, title: 'Factors' },
);
