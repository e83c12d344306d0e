import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { DecodeBudget } from './mmdb/decode-budget.js';
import { MmdbReader } from './mmdb/mmdb-reader.js';
import { networkOf } from './network-of.js';
import {
  type Location,
  type Network,
  type RecordDetails,
  readDetails,
  readLocation,
  readNetwork,
} from './place-record.js';
import { walkRecords } from './walk-records.js';

/** A file is no .mmdb, or not whole. */
export class GeoDatabaseError extends Error {
  override readonly name = 'GeoDatabaseError';
}

/** All that one database knows of an address. */
export interface FoundRecord {
  readonly location: Location | null;
  readonly network: Network | null;
  readonly details: RecordDetails;
  /** CIDR of the addresses that the record is about. */
  readonly cidr: string;
}

/** One .mmdb file in memory, independent of later changes to the file. */
export class GeoDatabase {
  readonly #reader: MmdbReader;

  private constructor(
    readonly file: string,
    /** Changes with the file. */
    readonly signature: string,
    reader: MmdbReader,
  ) {
    this.#reader = reader;
  }

  /** Reads and checks a file. @throws GeoDatabaseError naming it */
  static async open(file: string): Promise<GeoDatabase> {
    try {
      const signature = await signatureOf(file);
      const reader = new MmdbReader(await readFile(file));
      if (!isAboutPlaces(reader)) throw new Error(`a ${reader.metadata.databaseType} has neither places nor networks`);
      if ((await signatureOf(file)) !== signature) throw new Error('it is being written');
      return new GeoDatabase(file, signature, reader);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new GeoDatabaseError(`cannot use "${path.basename(file)}": ${reason}`, { cause });
    }
  }

  /** As its vendor calls it: `GeoLite2-City`. */
  get type(): string {
    return this.#reader.metadata.databaseType;
  }

  /** When its vendor made it, milliseconds since the epoch. */
  get builtMs(): number {
    return this.#reader.metadata.builtMs;
  }

  /**
   * Rank of a database: 3 for commercial ones, 2 for cities or networks, 1 for countries, 0 for others; the highest is
   * asked first.
   */
  get rank(): number {
    if (/enterprise|insights|isp|standard|core|plus/i.test(this.type)) return 3;
    if (/city|location/i.test(this.type)) return 2;
    // some know the network too, and still no city
    if (/country/i.test(this.type)) return 1;
    return /asn/i.test(this.type) ? 2 : 0;
  }

  /** Null where it knows no country. */
  location(address: string): Location | null {
    return readLocation(this.#find(address));
  }

  /** Null where it knows no network. */
  network(address: string): Network | null {
    return readNetwork(this.#find(address));
  }

  /** All that it knows; null if it knows neither a country nor a network. */
  find(address: string): FoundRecord | null {
    const [record, bits] = this.#findWithBits(address);
    const [location, network] = [readLocation(record), readNetwork(record)];
    if (location === null && network === null) return null;
    return { location, network, details: readDetails(record), cidr: networkOf(address, bits) };
  }

  #find(address: string): unknown {
    const [record] = this.#findWithBits(address);
    return record;
  }

  #findWithBits(text: string): [record: unknown, bits: number] {
    const address = parseAddress(text);
    if (address === null || !this.#reader.covers(address)) return [null, 0];
    try {
      const { record, prefixLength } = this.#reader.find(address);
      return [record, prefixLength];
    } catch {
      // a damaged record is an unknown address
      return [null, 0];
    }
  }
}

/** Ranges, and records among them, that are looked at to find out what a database is about. */
const [MAX_RANGES, MAX_RECORDS] = [2_000, 200];

/** True if one of the first records has a place or a network, or if there is no record. @throws Error if the file is damaged */
function isAboutPlaces(reader: MmdbReader): boolean {
  let [ranges, records] = [0, 0];
  for (const record of walkRecords(reader, new DecodeBudget())) {
    if (readLocation(record) !== null || readNetwork(record) !== null) return true;
    ranges += 1;
    if (record !== null) records += 1;
    if (ranges >= MAX_RANGES || records >= MAX_RECORDS) break;
  }
  return records === 0;
}

/** Signature of a file that changes when it is written or replaced. @throws Error if the file does not exist */
export async function signatureOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs}`;
}
