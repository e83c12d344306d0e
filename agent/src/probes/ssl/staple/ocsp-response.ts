import {
  childrenOf,
  DerError,
  type DerValue,
  derTags,
  expectTag,
  readBitString,
  readDer,
  readGeneralizedTime,
  readOid,
  sequenceOf,
} from '../certificate/der.js';
import { readExtensions } from '../certificate/fields.js';
import { countScts } from '../certificate/sct.js';

/** A successful OCSP response (RFC 6960 section 4.2.1). */
export interface OcspResponse {
  /** Bytes that are signed. */
  readonly signedData: Buffer;
  readonly signatureOid: string;
  readonly signature: Buffer;
  /** Certificates of the responder, DER. */
  readonly certificates: readonly Buffer[];
  readonly answers: readonly OcspAnswer[];
}

/** Statement about one certificate. Instants in milliseconds since the epoch. */
export interface OcspAnswer {
  readonly certId: {
    readonly hashOid: string;
    readonly issuerNameHash: Buffer;
    readonly issuerKeyHash: Buffer;
    readonly serial: Buffer;
  };
  readonly status: 'good' | 'revoked' | 'unknown';
  readonly revokedAt: number | null;
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
  readonly sctCount: number;
}

const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const SCT_LIST = '1.3.6.1.4.1.11129.2.4.5';
const SUCCESSFUL = 0;
const statusTags: Readonly<Record<number, OcspAnswer['status']>> = { 0x80: 'good', 0xa1: 'revoked', 0x82: 'unknown' };

/** @throws DerError also for a response that says the responder failed */
export function parseOcspResponse(der: Buffer): OcspResponse {
  const [status, tagged] = sequenceOf(readDer(der));
  const code = expectTag(status, derTags.enumerated).content[0];
  if (code !== SUCCESSFUL) throw new DerError(`the responder failed with status ${code}`);
  const [type, bytes] = sequenceOf(childrenOf(expectTag(tagged, 0xa0))[0]);
  if (readOid(type) !== BASIC_RESPONSE) throw new DerError('not a basic response');
  const basic = sequenceOf(readDer(expectTag(bytes, derTags.octetString).content));
  const [data, algorithm, signature, certificates] = basic;
  return {
    signedData: expectTag(data, derTags.sequence).raw,
    signatureOid: readOid(sequenceOf(algorithm)[0]),
    signature: readBitString(signature),
    certificates: certificates === undefined ? [] : sequenceOf(childrenOf(certificates)[0]).map(({ raw }) => raw),
    answers: readAnswers(data),
  };
}

function readAnswers(data: DerValue | undefined): OcspAnswer[] {
  const all = sequenceOf(data);
  // [0] version is absent if it is the default
  const [, , responses] = all[0]?.tag === 0xa0 ? all.slice(1) : all;
  return sequenceOf(responses).map(readAnswer);
}

function readAnswer(value: DerValue): OcspAnswer {
  const [certId, status, thisUpdate, ...rest] = sequenceOf(value);
  const nextUpdate = rest.find(({ tag }) => tag === 0xa0);
  const extensions = readExtensions(rest.find(({ tag }) => tag === 0xa1));
  const named = statusTags[status?.tag ?? 0];
  if (status === undefined || named === undefined) throw new DerError('no status of a certificate');
  return {
    certId: readCertId(certId),
    status: named,
    revokedAt: named === 'revoked' ? readGeneralizedTime(childrenOf(status)[0]) : null,
    thisUpdate: readGeneralizedTime(thisUpdate),
    nextUpdate: nextUpdate === undefined ? null : readGeneralizedTime(childrenOf(nextUpdate)[0]),
    sctCount: countScts(extensions.get(SCT_LIST)),
  };
}

function readCertId(value: DerValue | undefined): OcspAnswer['certId'] {
  const [hash, issuerName, issuerKey, serial] = sequenceOf(value);
  return {
    hashOid: readOid(sequenceOf(hash)[0]),
    issuerNameHash: expectTag(issuerName, derTags.octetString).content,
    issuerKeyHash: expectTag(issuerKey, derTags.octetString).content,
    serial: expectTag(serial, derTags.integer).content,
  };
}
