// Extension that a router may add after the packet it quotes (RFC 4884 section 7), and its label stack (RFC 4950
// section 3):
//
//   | 2 | reserved, 12 bits | checksum |    then objects:    | length | class | type | payload ... |
//
//   class 1, type 1: label stack entries of 4 bytes, top first:    | label, 20 bits | TC, 3 | S, 1 | TTL, 8 |
import type { MplsEntry } from '@vantage/shared/probe-types/hops.js';
import { internetChecksum } from './checksum.js';

const headerBytes = 4;
const objectHeaderBytes = 4;
const entryBytes = 4;
const version = 2;
const mplsClass = 1;
const incomingStackType = 1;

/** Entries kept of one message; real stacks have one to four. */
const maxEntries = 8;

/**
 * The label stack in an extension structure that the message says is there, and that may leave its checksum out; empty
 * for what is malformed.
 */
export function decodeLabelStack(bytes: Buffer): MplsEntry[] {
  if (bytes.length < headerBytes || bytes.readUInt8(0) >> 4 !== version) return [];
  if (bytes.readUInt16BE(2) !== 0 && internetChecksum(bytes) !== 0) return [];
  return decodeObjects(bytes.subarray(headerBytes));
}

/** The same where nothing but the bytes themselves says that there is one: they have to add up. RFC 4884 section 5.5. */
export function findLabelStack(bytes: Buffer): MplsEntry[] {
  const hasChecksum = bytes.length >= headerBytes && bytes.readUInt16BE(2) !== 0;
  return hasChecksum ? decodeLabelStack(bytes) : [];
}

function decodeObjects(bytes: Buffer): MplsEntry[] {
  const entries: MplsEntry[] = [];
  let offset = 0;
  while (offset + objectHeaderBytes <= bytes.length) {
    const length = bytes.readUInt16BE(offset);
    if (length < objectHeaderBytes || offset + length > bytes.length) break;
    if (bytes.readUInt8(offset + 2) === mplsClass && bytes.readUInt8(offset + 3) === incomingStackType)
      entries.push(...decodeEntries(bytes.subarray(offset + objectHeaderBytes, offset + length)));
    offset += length;
  }
  return entries.slice(0, maxEntries);
}

function decodeEntries(bytes: Buffer): MplsEntry[] {
  return Array.from({ length: Math.min(maxEntries, Math.floor(bytes.length / entryBytes)) }, (_, i) => {
    const word = bytes.readUInt32BE(i * entryBytes);
    return { label: word >>> 12, tc: (word >>> 9) & 7, s: (word >>> 8) & 1, ttl: word & 0xff };
  });
}
