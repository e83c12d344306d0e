import { isIP } from 'node:net';
import {
  childrenOf,
  DerError,
  type DerValue,
  derTags,
  expectTag,
  readBitString,
  readDer,
  readOid,
  sequenceOf,
} from './der.js';
import { countScts } from './sct.js';

/** Fields of a certificate that node:crypto does not expose. */
export interface CertificateFields {
  readonly signatureOid: string;
  readonly keyOid: string;
  /** The key itself, without its algorithm: what OCSP hashes. */
  readonly publicKey: Buffer;
  /** Names in DER. */
  readonly subject: Buffer;
  readonly issuer: Buffer;
  /** Content of the INTEGER. */
  readonly serial: Buffer;
  /** DNS names and addresses of subjectAltName. */
  readonly altNames: readonly string[];
  /** Embedded timestamps (RFC 6962 section 3.3). */
  readonly sctCount: number;
  /** True if the certificate requires a stapled OCSP response (RFC 7633). */
  readonly mustStaple: boolean;
}

const SUBJECT_ALT_NAME = '2.5.29.17';
const SCT_LIST = '1.3.6.1.4.1.11129.2.4.2';
const TLS_FEATURE = '1.3.6.1.5.5.7.1.24';
/** status_request (RFC 6066), as a TLS feature. */
const STATUS_REQUEST = Buffer.from([5]);

const MAX_ALT_NAMES = 1000;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/** Reads a certificate (RFC 5280 section 4.1), DER. @throws DerError */
export function readCertificateFields(der: Buffer): CertificateFields {
  const [tbs, signatureAlgorithm] = sequenceOf(readDer(der));
  const all = sequenceOf(tbs);
  // version is [0], and absent in certificates of version 1
  const [serial, , issuer, , subject, keyInfo, ...rest] = all[0]?.tag === 0xa0 ? all.slice(1) : all;
  const [keyAlgorithm, key] = sequenceOf(keyInfo);
  const extensions = readExtensions(rest.find(({ tag }) => tag === 0xa3));
  return {
    signatureOid: readOid(sequenceOf(signatureAlgorithm)[0]),
    keyOid: readOid(sequenceOf(keyAlgorithm)[0]),
    publicKey: readBitString(key),
    subject: expectTag(subject, derTags.sequence).raw,
    issuer: expectTag(issuer, derTags.sequence).raw,
    serial: expectTag(serial, derTags.integer).content,
    altNames: readAltNames(extensions.get(SUBJECT_ALT_NAME)),
    sctCount: countScts(extensions.get(SCT_LIST)),
    mustStaple: readsMustStaple(extensions.get(TLS_FEATURE)),
  };
}

/** OID -> content of extnValue; the first of several with one OID. @throws DerError */
export function readExtensions(tagged: DerValue | undefined): Map<string, Buffer> {
  const extensions = new Map<string, Buffer>();
  if (tagged === undefined) return extensions;
  for (const extension of sequenceOf(childrenOf(tagged)[0])) {
    const parts = sequenceOf(extension);
    const oid = readOid(parts[0]);
    if (!extensions.has(oid)) extensions.set(oid, expectTag(parts.at(-1), derTags.octetString).content);
  }
  return extensions;
}

function readAltNames(value: Buffer | undefined): string[] {
  return lenient(value, (names) =>
    sequenceOf(names)
      .slice(0, MAX_ALT_NAMES)
      .flatMap(({ tag, content }) =>
        tag === DNS_NAME ? dnsName(content) : tag === IP_ADDRESS ? address(content) : [],
      ),
  );
}

function readsMustStaple(value: Buffer | undefined): boolean {
  return (
    lenient(value, (features) => sequenceOf(features).filter(({ content }) => content.equals(STATUS_REQUEST))).length >
    0
  );
}

/** An extension that cannot be read is as good as none: OpenSSL has judged the certificate as a whole. */
function lenient<T>(value: Buffer | undefined, read: (value: DerValue) => T[]): T[] {
  if (value === undefined) return [];
  try {
    return read(readDer(value));
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

/** Names hold printable ASCII; anything else is shown as what it is not. */
function dnsName(content: Buffer): string {
  return content
    .subarray(0, 255)
    .toString('latin1')
    .replace(/[^\x21-\x7e]/g, '?');
}

function address(content: Buffer): string[] {
  if (content.length === 4) return [content.join('.')];
  const groups = content.toString('hex').match(/.{4}/g)?.join(':') ?? '';
  return isIP(groups) === 6 ? [new URL(`http://[${groups}]`).hostname.slice(1, -1)] : [];
}
