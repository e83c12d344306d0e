import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '../probe-types/client-certificate.js';
import type { FieldErrors } from '../validation.js';

const CERTIFICATE = 'client_certificate.certificate';
const PRIVATE_KEY = 'client_certificate.private_key';
/** Certificates of a chain at most, its own included. */
const MAX_CHAIN = 8;
const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Errors of a certificate and its key, by field; the messages reveal nothing of either. */
export function checkClientCertificate({ certificate, private_key: privateKey }: ClientCertificate): FieldErrors {
  const chain = readChain(certificate);
  const key = readKey(privateKey);
  const errors: FieldErrors = {};
  if (typeof chain === 'string') errors[CERTIFICATE] = [{ code: 'format', message: chain }];
  if (typeof key === 'string') errors[PRIVATE_KEY] = [{ code: 'format', message: key }];
  if (typeof chain === 'string' || typeof key === 'string') return errors;
  const [own] = chain;
  if (own?.checkPrivateKey(key) === true) return {};
  return { [PRIVATE_KEY]: [{ code: 'conflict', message: 'is not the key of the first certificate' }] };
}

/** A sentence where it is no chain. */
function readChain(pem: string): X509Certificate[] | string {
  const blocks = pem.match(block) ?? [];
  if (blocks.length === 0) return 'has no certificate in PEM';
  if (blocks.length > MAX_CHAIN) return `has more than ${MAX_CHAIN} certificates`;
  if (pem.includes('PRIVATE KEY-----')) return 'contains a private key, which belongs into private_key';
  try {
    return blocks.map((text) => new X509Certificate(text));
  } catch {
    return 'has a certificate that cannot be read';
  }
}

function readKey(pem: string): KeyObject | string {
  if (/ENCRYPTED/.test(pem)) return 'is encrypted: send it without a passphrase';
  try {
    return createPrivateKey(pem);
  } catch {
    return 'is not a private key in PEM';
  }
}
