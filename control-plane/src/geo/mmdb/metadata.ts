import { decodeValue } from './decode-value.js';
import { MmdbError } from './mmdb-error.js';

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** Greatest size of the metadata, with which a file ends. */
const MOST_BYTES = 128 * 1024;
/** Distance of the data from the search tree: so many bytes are zero. */
const SEPARATOR_BYTES = 16;
const MOST_DATE_SECONDS = 8.64e12;

/** Statements of a file about itself. */
export interface Metadata {
  readonly nodeCount: number;
  /** Bits of a record of the search tree. */
  readonly recordSize: 24 | 28 | 32;
  readonly ipVersion: 4 | 6;
  readonly databaseType: string;
  /** Milliseconds since the epoch. */
  readonly builtMs: number;
}

/** The parts of a file. */
export interface Sections {
  readonly metadata: Metadata;
  readonly tree: Buffer;
  readonly data: Buffer;
}

/** Parts of a file, which share its bytes. @throws MmdbError */
export function readSections(bytes: Buffer): Sections {
  const end = bytes.subarray(-MOST_BYTES - MARKER.length);
  const found = end.lastIndexOf(MARKER);
  if (found < 0) throw new MmdbError('it has no metadata at its end');
  const start = bytes.length - end.length + found;
  const metadata = readMetadata(decodeValue(bytes.subarray(start + MARKER.length), 0));
  const treeBytes = (metadata.nodeCount * metadata.recordSize) / 4;
  if (treeBytes + SEPARATOR_BYTES > start) throw new MmdbError('it is shorter than its search tree');
  const data = bytes.subarray(treeBytes + SEPARATOR_BYTES, start);
  return { metadata, tree: bytes.subarray(0, treeBytes), data };
}

function readMetadata(value: unknown): Metadata {
  const fields: Readonly<Record<string, unknown>> = Object(value);
  const { node_count: nodeCount, record_size: recordSize, ip_version: ipVersion, database_type: databaseType } = fields;
  const builtSec = typeof fields['build_epoch'] === 'bigint' ? Number(fields['build_epoch']) : fields['build_epoch'];
  if (typeof nodeCount !== 'number' || nodeCount < 1) throw new MmdbError('it has an empty search tree');
  if (recordSize !== 24 && recordSize !== 28 && recordSize !== 32)
    throw new MmdbError('its search tree has records of an unknown size');
  if (ipVersion !== 4 && ipVersion !== 6) throw new MmdbError('it is neither about IPv4 nor about IPv6');
  if (typeof databaseType !== 'string') throw new MmdbError('it has no type');
  if (typeof builtSec !== 'number' || builtSec > MOST_DATE_SECONDS)
    throw new MmdbError('it has no valid time at which it was built');
  return { nodeCount, recordSize, ipVersion, databaseType, builtMs: builtSec * 1_000 };
}
