import { type Static, Type } from 'typebox';
import { nullableString } from './fields.js';

/** One certificate of the chain the server sent, leaf first. */
const Certificate = Type.Object(
  {
    subject: Type.String(),
    issuer: Type.String(),
    not_before: Type.String({ format: 'date-time' }),
    not_after: Type.String({ format: 'date-time' }),
    serial_number: Type.String(),
    fingerprint_sha256: Type.String(),
  },
  { additionalProperties: false },
);

/** What the TLS handshake negotiated and what the certificate is worth. */
export const TlsSchema = Type.Object(
  {
    protocol: Type.String({ description: 'For example TLSv1.3.' }),
    version: Type.String({ description: 'The same without the name: 1.3.' }),
    cipher: Type.String(),
    authorized: Type.Boolean({ description: 'Chain, dates and name are all in order.' }),
    authorization_error: nullableString('Why it is not authorized.'),
    not_after: nullableString('Expiry of the leaf certificate, ISO 8601.'),
    chain: Type.Array(Certificate, { maxItems: 16 }),
  },
  { additionalProperties: false },
);

/** A value of `TlsSchema`. */
export type TlsReport = Static<typeof TlsSchema>;
