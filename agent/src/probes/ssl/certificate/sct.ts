import { DerError, derTags, expectTag, readDer } from './der.js';

/**
 * Number of timestamps in a SignedCertificateTimestampList (RFC 6962 section 3.3): an OCTET STRING around a vector of
 * vectors, lengths of two bytes. 0 for a malformed list.
 */
export function countScts(extension: Buffer | undefined): number {
  if (extension === undefined) return 0;
  try {
    const { content } = expectTag(readDer(extension), derTags.octetString);
    return countVectors(content);
  } catch (error) {
    if (error instanceof DerError) return 0;
    throw error;
  }
}

function countVectors(list: Buffer): number {
  if (list.length < 2 || list.readUInt16BE(0) !== list.length - 2) return 0;
  let count = 0;
  let at = 2;
  for (; at + 2 <= list.length; count += 1) {
    const length = list.readUInt16BE(at);
    if (length === 0) return 0;
    at += 2 + length;
  }
  return at === list.length ? count : 0;
}
