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
  { additionalProperties: false, title: 'TlsCertificate' },
);

/** An authority's certificate that expires before the server's own does. */
export const endsFirstField = Type.Optional(
  Type.Object(
    { subject: Type.String(), not_after: Type.String({ format: 'date-time' }) },
    {
      additionalProperties: false,
      description:
        'Certificate of an authority on the path that clients use which ends before the certificate of the server does, and ends the validity of both. Absent if there is none.',
    },
  ),
);

/** Parameters negotiated in the TLS handshake, and the validity of the certificate. */
export const TlsSchema = Type.Object(
  {
    protocol: Type.String({ description: 'For example TLSv1.3.' }),
    version: Type.String({ description: 'The same without the name: 1.3.' }),
    cipher: Type.String(),
    authorized: Type.Boolean({ description: 'True if chain, dates and name are all valid.' }),
    authorization_error: nullableString('Reason why it is not authorized.'),
    not_after: nullableString('Expiry of the leaf certificate, ISO 8601.'),
    ends_first: endsFirstField,
    chain: Type.Array(Certificate, { maxItems: 16 }),
  },
  { additionalProperties: false, title: 'TlsReport' },
);

/** A value of `TlsSchema`. */
export type TlsReport = Static<typeof TlsSchema>;
