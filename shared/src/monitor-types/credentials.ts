import { type Static, Type } from 'typebox';
import type { FieldErrors } from '../validation.js';

/** Setting `auth`: credentials that become an Authorization header. */
export const CredentialsSchema = Type.Object(
  {
    type: Type.Enum(['basic', 'bearer'], { type: 'string', description: 'RFC 7617 or RFC 6750.' }),
    username: Type.Optional(Type.String({ maxLength: 200, description: 'basic: without a colon.' })),
    password: Type.Optional(Type.String({ maxLength: 500, description: 'basic: never shown again.' })),
    token: Type.Optional(
      Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength: 4000, description: 'bearer: never shown again.' }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Credentials for the Authorization header: username and password, or a token.',
  },
);
type Credentials = Static<typeof CredentialsSchema>;

const fieldsOfType = { basic: ['username', 'password'], bearer: ['token'] } as const;

/** Fields that are missing, of the other type, or cannot be sent. */
export function checkCredentials(credentials: Credentials): FieldErrors {
  const errors: FieldErrors = {};
  const { type, username } = credentials;
  const own: readonly string[] = fieldsOfType[type];
  for (const field of ['username', 'password', 'token'] as const) {
    const isGiven = credentials[field] !== undefined;
    if (own.includes(field) && !isGiven)
      errors[`auth.${field}`] = [{ code: 'required', message: `is required by ${type}` }];
    if (!own.includes(field) && isGiven)
      errors[`auth.${field}`] = [{ code: 'conflict', message: `is not a field of ${type}` }];
  }
  if (type === 'basic' && username?.includes(':')) {
    errors['auth.username'] = [{ code: 'format', message: 'must not contain a colon (RFC 7617)' }];
  }
  return errors;
}

/** The value of the Authorization header. */
export function authorizationOf({ type, username = '', password = '', token = '' }: Credentials): string {
  if (type === 'bearer') return `Bearer ${token}`;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
