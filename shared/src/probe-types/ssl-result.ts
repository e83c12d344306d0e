import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import { ipVersionField, nullableMilliseconds, nullableString, outcomeFields, resolvedIpField } from './fields.js';
import { sslFindingCodes, sslGrades } from './ssl-findings.js';
import { endsFirstField } from './tls-report.js';

/** Protocol versions an audit tries, oldest first. */
export const sslVersions = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

export type SslVersion = (typeof sslVersions)[number];

/** Statuses of a stapled OCSP response; `none` without one, `invalid` when it proves nothing. */
export const ocspStatuses = ['good', 'revoked', 'unknown', 'none', 'invalid'] as const;

/** A time, or null. */
export const nullableDate = (description: string) => nullable(Type.String({ format: 'date-time' }), description);
/** A whole number, or null. */
export const nullableInteger = (description: string) => nullable(Type.Integer(), description);
/** A grade, or null. */
export const gradeField = (description: string) =>
  Type.Union([Type.Enum([...sslGrades], { type: 'string' }), Type.Null()], { description });

const Version = Type.Object(
  {
    version: Type.Enum([...sslVersions], { type: 'string' }),
    supported: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null if unknown.' }),
    cipher_suite: nullableString('Negotiated cipher suite, as OpenSSL writes it.'),
    key_exchange: nullableString(
      'Group of an ephemeral key exchange, or DH and its bits; null without forward secrecy.',
    ),
    reason: nullableString('Reason why it is not supported, or unknown.'),
  },
  { additionalProperties: false },
);

const Certificate = Type.Object(
  {
    subject: Type.String(),
    issuer: Type.String(),
    not_before: Type.String({ format: 'date-time' }),
    not_after: Type.String({ format: 'date-time' }),
    signature_algorithm: nullableString('For example ecdsa-with-SHA256; a dotted number if it has no known name.'),
    public_key_algorithm: nullableString('RSA, RSA-PSS, EC, DSA, Ed25519, Ed448, or a dotted number.'),
    public_key_bits: nullableInteger('Size of the key, or of the field of its curve.'),
    serial_number: Type.String(),
    fingerprint_sha256: Type.String(),
    is_ca: Type.Boolean(),
  },
  { additionalProperties: false },
);

const Staple = Type.Object(
  {
    this_update: nullableDate('Time of this status.'),
    next_update: nullableDate('End of its validity.'),
    revoked_at: nullableDate('When the certificate was revoked.'),
    error: nullableString('Reason why the response is invalid.'),
  },
  { additionalProperties: false },
);

const Finding = Type.Object(
  {
    code: Type.Enum([...sslFindingCodes], { type: 'string', description: 'Stable code; branch on this.' }),
    cap: gradeField('Best grade that the finding allows; null if it does not limit the grade.'),
    message: Type.String({ maxLength: 500, description: 'Description of the finding in English, for display only.' }),
  },
  { additionalProperties: false },
);

/** The answer of one node. */
export const SslResultSchema = Type.Object(
  {
    ...outcomeFields,
    grade: gradeField(
      'From A+ to F, M for another name, T for no trust: docs/ssl-grades.md. Null without a certificate.',
    ),
    grade_ignoring_trust: gradeField('Grade with a certificate that is trusted and has the right name.'),
    domain: nullableString('Name that was requested, and compared with the certificate.'),
    resolved_ip: resolvedIpField,
    ip_version: ipVersionField,
    port: Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.Null()]),
    valid: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'True if chain, dates and name are all valid; findings list the problems. Null if unknown.',
    }),
    days_until_expiry: nullableInteger(
      'Whole days until the certificate expires, by the corrected clock of the node; negative afterwards.',
    ),
    subject: nullableString('Subject of the certificate.'),
    issuer: nullableString('Issuer of the certificate.'),
    not_before: nullableDate('Start of its validity.'),
    not_after: nullableDate('End of its validity.'),
    ends_first: endsFirstField,
    san_domains: Type.Array(Type.String(), {
      maxItems: 1000,
      description: 'Names and addresses of its subjectAltName, the first thousand.',
    }),
    protocol: nullableString('Best version that both sides support, for example TLSv1.3.'),
    cipher_suite: nullableString('Negotiated cipher suite, as OpenSSL writes it.'),
    tls_versions: Type.Array(Version, { maxItems: sslVersions.length }),
    weak_cipher_suites: Type.Array(Type.String(), {
      maxItems: 16,
      description: 'Suites that the server accepted when only weak ones were offered, one of each kind.',
    }),
    ocsp_status: Type.Union([Type.Enum([...ocspStatuses], { type: 'string' }), Type.Null()], {
      description: 'Status in the stapled OCSP response; none: no staple; invalid: an invalid staple.',
    }),
    ocsp_staple: Type.Union([Staple, Type.Null()]),
    sct_count: nullableInteger(
      'Signed certificate timestamps in certificate and staple; not those of the TLS extension.',
    ),
    warnings: Type.Array(Type.Enum([...sslFindingCodes], { type: 'string' }), {
      maxItems: sslFindingCodes.length,
      description: 'Codes of all findings, worst first.',
    }),
    findings: Type.Array(Finding, { maxItems: sslFindingCodes.length }),
    chain: Type.Array(Certificate, { maxItems: 16, description: 'As the server sent it.' }),
    timing: Type.Object(
      {
        dns_ms: nullableMilliseconds('Name resolution; 0 for a literal address.'),
        tcp_ms: nullableMilliseconds('TCP connect of the first handshake.'),
        tls_ms: nullableMilliseconds('The first handshake.'),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export type SslResult = Static<typeof SslResultSchema>;
