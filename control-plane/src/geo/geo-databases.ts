import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { AddressRanges, type Cidr, parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import { refusedIPv4, refusedIPv6 } from '@vantage/shared/target-policy/refused-ranges.js';
import type { Logger } from 'pino';
import { type FoundRecord, GeoDatabase, signatureOf } from './geo-database.js';
import type { Location, Network, RecordDetails } from './place-record.js';

// States of a file in the directory:
//
//   (none) ──seen twice alike──> read ──whole──> in use ──changed, seen twice alike──> read again
//                                  └──damaged──> refused until it changes; what was in use before stays in use
//   in use, refused ──removed──> (none)
//
// A file that is still being written is not seen unchanged twice, so a partial file is read only if its writer stopped.

const LOOK_EVERY_MS = 5_000;
const DAY_MS = 86_400_000;
/** Networks change hands: a database older than this is said to be old. */
const OLD_AFTER_MS = 60 * DAY_MS;

/** Place and network of an address, as far as the databases know them. */
export interface DerivedPlace extends Partial<Location>, Partial<Network> {}

/** A database that an answer rests on. */
export interface GeoSource {
  /** As its vendor calls it. */
  readonly name: string;
  /** When its vendor made it, milliseconds since the epoch. */
  readonly builtMs: number;
}

/** All that the databases know of an address; null where they know nothing. */
export interface AddressFacts {
  readonly location: Location | null;
  readonly network: Network | null;
  readonly details: RecordDetails | null;
  /** CIDR of the record of the place, else of the network. */
  readonly cidr: string | null;
  /** Databases that knew something; all of them if none did. */
  readonly sources: readonly GeoSource[];
}

/** How many files of each kind there are; `unusable` ones were refused. */
export type GeoDatabaseCounts = Readonly<Record<'current' | 'old' | 'unusable', number>>;

/** Time since a database was made by its vendor. */
export interface GeoDatabaseAge {
  readonly type: string;
  readonly ageSeconds: number;
}

interface GeoDatabasesOptions {
  /** Null if there are no databases. */
  readonly directory: string | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The .mmdb files of the operator's directory, as they are now. */
export class GeoDatabases {
  #used: readonly GeoDatabase[] = [];
  /** File -> its signature when it was found to be unusable. */
  readonly #refused = new Map<string, string>();
  /** File -> its signature at the last look. */
  #seen = new Map<string, string>();
  readonly #listeners: (() => void)[] = [];
  #isDirectoryLost = false;
  #oldSaidAt: number | null = null;
  #cancel: (() => void) | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly options: GeoDatabasesOptions) {}

  /** Directory of the databases; null: the operator has named none. */
  get directory(): string | null {
    return this.options.directory;
  }

  /** Reads the databases and begins to follow changes. Unusable files are logged. */
  async start(): Promise<void> {
    const { directory } = this.options;
    if (directory === null) return;
    await this.#list(directory).then((files) => {
      this.#seen = files;
    });
    await this.#look(directory);
    this.#schedule(directory);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#looking;
  }

  /** Calls back when databases came, changed or went. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Place and network of a public address; null for other addresses, and if the databases know nothing. */
  locate(address: string): DerivedPlace | null {
    if (this.#used.length === 0 || !isPublic(address)) return null;
    const location = this.#first((database) => database.location(address));
    const network = this.#first((database) => database.network(address));
    return location === null && network === null ? null : { ...location, ...network };
  }

  /** Facts of an address with their sources; null if no database is in use. */
  describe(address: string): AddressFacts | null {
    if (this.#used.length === 0) return null;
    const found: { readonly database: GeoDatabase; readonly record: FoundRecord }[] = [];
    for (const database of isPublic(address) ? this.#used : []) {
      const record = database.find(address);
      if (record !== null) found.push({ database, record });
    }
    const placed = found.find(({ record }) => record.location !== null);
    const networked = found.find(({ record }) => record.network !== null);
    const decisive = [...new Set([placed, networked])].flatMap((one) => one ?? []);
    const sources = decisive.length > 0 ? decisive.map(({ database }) => database) : this.#used;
    return {
      location: placed?.record.location ?? null,
      network: networked?.record.network ?? null,
      details: placed?.record.details ?? null,
      cidr: decisive[0]?.record.cidr ?? null,
      sources: sources.map(({ type, builtMs }) => ({ name: type, builtMs })),
    };
  }

  /** Days since its vendor made it, of every database older than 60 days. */
  old(): { readonly type: string; readonly ageDays: number }[] {
    const now = this.options.clock.now();
    return this.#used
      .filter(({ builtMs }) => now - builtMs > OLD_AFTER_MS)
      .map(({ type, builtMs }) => ({ type, ageDays: Math.floor((now - builtMs) / DAY_MS) }));
  }

  ages(): GeoDatabaseAge[] {
    const now = this.options.clock.now();
    return this.#used.map(({ type, builtMs }) => ({ type, ageSeconds: (now - builtMs) / 1_000 }));
  }

  count(): GeoDatabaseCounts {
    const old = this.old().length;
    return { current: this.#used.length - old, old, unusable: this.#refused.size };
  }

  #first<T>(ask: (database: GeoDatabase) => T | null): T | null {
    for (const database of this.#used) {
      const answer = ask(database);
      if (answer !== null) return answer;
    }
    return null;
  }

  #schedule(directory: string): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(LOOK_EVERY_MS, () => {
      this.#looking = this.#look(directory).finally(() => this.#schedule(directory));
    });
  }

  async #look(directory: string): Promise<void> {
    const files = await this.#list(directory);
    const settled = [...files].filter(([file, signature]) => this.#seen.get(file) === signature);
    this.#seen = files;
    if (this.#isDirectoryLost) return;
    const isAnyGone = this.#forgetMissing(files);
    const opened = await this.#open(settled.filter(([file, signature]) => this.#isNew(file, signature)));
    if (opened.length > 0 || isAnyGone) this.#use(opened);
    this.#sayWhatIsOld();
  }

  /** File -> signature. A directory that can't be read is not an empty one. */
  async #list(directory: string): Promise<Map<string, string>> {
    try {
      const names = (await readdir(directory)).filter((name) => name.endsWith('.mmdb')).sort();
      const files = new Map<string, string>();
      for (const name of names) {
        const file = path.join(directory, name);
        const signature = await signatureOf(file).catch(() => null);
        if (signature !== null) files.set(file, signature);
      }
      this.#isDirectoryLost = false;
      return files;
    } catch (err) {
      if (!this.#isDirectoryLost) this.options.log.error({ err, directory }, 'cannot look for geo databases');
      this.#isDirectoryLost = true;
      return this.#seen;
    }
  }

  #isNew(file: string, signature: string): boolean {
    const known = this.#used.find((database) => database.file === file)?.signature;
    return known !== signature && this.#refused.get(file) !== signature;
  }

  #forgetMissing(files: ReadonlyMap<string, string>): boolean {
    for (const file of this.#refused.keys()) if (!files.has(file)) this.#refused.delete(file);
    const left = this.#used.filter(({ file }) => files.has(file));
    const isAnyGone = left.length < this.#used.length;
    if (isAnyGone) this.options.log.info({ left: left.length }, 'geo database removed');
    this.#used = left;
    return isAnyGone;
  }

  async #open(added: readonly (readonly [string, string])[]): Promise<GeoDatabase[]> {
    const opened: GeoDatabase[] = [];
    for (const [file, signature] of added) {
      try {
        opened.push(await GeoDatabase.open(file));
        this.#refused.delete(file);
      } catch (err) {
        this.#refused.set(file, signature);
        this.options.log.error({ err, file }, 'cannot use geo database, keeping the previous one');
      }
    }
    return opened;
  }

  #use(opened: readonly GeoDatabase[]): void {
    const replaced = new Set(opened.map(({ file }) => file));
    const kept = this.#used.filter(({ file }) => !replaced.has(file));
    this.#used = [...kept, ...opened].sort(
      (a, b) => b.rank - a.rank || b.builtMs - a.builtMs || (a.file < b.file ? -1 : 1),
    );
    for (const { file, type, builtMs } of opened) {
      this.options.log.info({ file, type, built: new Date(builtMs).toISOString() }, 'geo database in use');
    }
    this.#oldSaidAt = null;
    for (const listener of this.#listeners) listener();
  }

  #sayWhatIsOld(): void {
    const now = this.options.clock.now();
    const old = this.old();
    if (old.length === 0 || (this.#oldSaidAt !== null && now - this.#oldSaidAt < DAY_MS)) return;
    this.#oldSaidAt = now;
    for (const { type, ageDays } of old) this.options.log.warn({ type, ageDays }, 'geo database is old, update it');
  }
}

const reservedRanges = new AddressRanges(
  [...refusedIPv4, ...refusedIPv6].map(({ cidr }) => parseCidr(cidr)).filter((cidr): cidr is Cidr => cidr !== null),
);

function isPublic(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && !reservedRanges.has(parsed);
}
