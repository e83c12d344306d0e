import type { KeyObject, X509Certificate } from 'node:crypto';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { publicKeyOf } from '../../../net/tls/issuing.js';
import { describeCertificate } from '../../../net/tls/report.js';
import { curveBits, signatureAlgorithmOf } from './algorithms.js';
import { DerError } from './der.js';
import { type CertificateFields, readCertificateFields } from './fields.js';

/** One certificate of the chain, read once. */
export interface SentCertificate {
  readonly x509: X509Certificate;
  readonly fields: CertificateFields;
  readonly report: ProbeResults['ssl']['chain'][number];
  readonly notBefore: number;
  readonly notAfter: number;
}

const keyNames: Readonly<Record<string, string>> = {
  rsa: 'RSA',
  'rsa-pss': 'RSA-PSS',
  ec: 'EC',
  dsa: 'DSA',
  ed25519: 'Ed25519',
  ed448: 'Ed448',
};
const fixedBits: Readonly<Record<string, number>> = { ed25519: 256, ed448: 456 };

/** Describes a certificate; null for one that passes OpenSSL but cannot be described. */
export function readSentCertificate(x509: X509Certificate): SentCertificate | null {
  const fields = fieldsOf(x509);
  const described = describeCertificate(x509);
  if (fields === null || described === null) return null;
  const { serial_number, fingerprint_sha256, ...names } = described;
  const key = describeKey(publicKeyOf(x509));
  const report = {
    ...names,
    signature_algorithm: signatureAlgorithmOf(fields.signatureOid).name,
    public_key_algorithm: key?.algorithm ?? fields.keyOid,
    public_key_bits: key?.bits ?? null,
    serial_number,
    fingerprint_sha256,
    is_ca: x509.ca,
  };
  return { x509, fields, report, notBefore: Date.parse(names.not_before), notAfter: Date.parse(names.not_after) };
}

function fieldsOf(x509: X509Certificate): CertificateFields | null {
  try {
    return readCertificateFields(x509.raw);
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

function describeKey(key: KeyObject | null): { algorithm: string; bits: number | null } | null {
  const type = key?.asymmetricKeyType ?? '';
  const algorithm = keyNames[type];
  if (key === null || algorithm === undefined) return null;
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  return { algorithm, bits: modulusLength ?? curveBits[namedCurve ?? ''] ?? fixedBits[type] ?? null };
}
