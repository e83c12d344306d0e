import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type Clock, delay } from '@vantage/shared/clock.js';
import { writeFileDurably } from '../identity/durable-file.js';

// Addresses of the control plane. DNS is queried every time; addresses that worked before are kept on the disk, so that
// a failed resolver does not disconnect a node. TLS verifies the name for every address.
//
//   DNS answers     addresses of the answer that worked before, its others, then older ones that worked
//   DNS does not    after 2 s, or its error: those that worked before; without any, whatever DNS says in the end
//
// An address where another server responded comes last, until it works or ten others have failed since.

/** Addresses kept for one name, names, and addresses remembered to have failed, at most. */
const MOST = { addresses: 8, names: 16, failed: 10 };
/** Age at which an address that has not worked since is dropped, except the newest of each name. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** Time to wait for DNS where older addresses are known, in milliseconds. */
const DNS_PATIENCE_MS = 2_000;

/** Queries the system's resolver for every address of a name. @throws its error */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** An address that a link, or a proxy on the way to it, was opened at. */
interface Worked {
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface LinkAddressesOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly lookUp: LookUp;
  /** Hears when DNS did not answer and older addresses are taken instead. */
  readonly onFallback: (host: string, addresses: readonly string[]) => void;
}

/** Finds addresses to dial, by DNS and by memory. */
export class LinkAddresses {
  readonly #options: LinkAddressesOptions;
  readonly #known: Map<string, readonly Worked[]>;
  /** Newest last; this process remembers them, the disk does not. */
  readonly #failed = new Set<string>();
  /** A resolver that hangs is asked once at a time. */
  readonly #lookUps = new Map<string, Promise<readonly string[]>>();
  #written: Promise<void> = Promise.resolve();

  private constructor(options: LinkAddressesOptions, known: Map<string, readonly Worked[]>) {
    this.#options = options;
    this.#known = known;
  }

  /** Opens the addresses that earlier processes left in the state directory; a damaged file is ignored. */
  static async open(options: LinkAddressesOptions): Promise<LinkAddresses> {
    return new LinkAddresses(options, await readKnown(options.stateDir));
  }

  /**
   * Returns at least one address, best first. `host`: a name or a literal without brackets. @throws the resolver's
   * error
   */
  async find(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    const known = (this.#known.get(host) ?? []).map(({ address }) => address);
    const answer = await this.#ask(host, known);
    if (answer === null) this.#options.onFallback(host, known);
    return lastOf(this.#failed, orderAddresses(answer ?? [], known));
  }

  /** Records that the authenticated peer was reached at an address. Written to disk soon. */
  worked(host: string, address: string): void {
    if (isIP(host) !== 0) return;
    this.#failed.delete(address);
    const before = this.#known.get(host) ?? [];
    const now = { address, at: this.#options.clock.now() };
    const isChanged = before[0]?.address !== address || now.at - before[0].at > MAX_AGE_MS / 30;
    const others = before.filter((entry) => entry.address !== address && Math.abs(now.at - entry.at) <= MAX_AGE_MS);
    this.#known.delete(host);
    this.#known.set(host, [now, ...others].slice(0, MOST.addresses));
    for (const oldest of [...this.#known.keys()].slice(0, -MOST.names)) this.#known.delete(oldest);
    if (isChanged) this.#written = this.#written.then(() => this.#write());
  }

  /** Records that the peer was not reached at an address, which comes last from now on, for every name. */
  failed(address: string): void {
    this.#failed.delete(address);
    this.#failed.add(address);
    for (const oldest of [...this.#failed].slice(0, -MOST.failed)) this.#failed.delete(oldest);
  }

  /** Resolves when what is known is on the disk, or could not be written. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** Addresses from DNS; null if DNS gave no useful answer, and older addresses are known. */
  async #ask(host: string, known: readonly string[]): Promise<readonly string[] | null> {
    let asked = this.#lookUps.get(host);
    if (asked === undefined) {
      asked = this.#options.lookUp(host).finally(() => this.#lookUps.delete(host));
      this.#lookUps.set(host, asked);
    }
    if (known.length === 0) return asked;
    const giveUp = new AbortController();
    const patience = delay(this.#options.clock, DNS_PATIENCE_MS, giveUp.signal).then(
      () => null,
      () => null,
    );
    const answer = await Promise.race([asked.catch(() => null), patience]);
    giveUp.abort();
    return answer;
  }

  /** Writes the addresses. Those that cannot be written remain known to this process. */
  async #write(): Promise<void> {
    const document = JSON.stringify(Object.fromEntries(this.#known));
    await writeFileDurably(addressesPath(this.#options.stateDir), `${document}\n`).catch(() => undefined);
  }
}

/** Order in which addresses are tried: the family that worked last comes first. Pure. */
export function orderAddresses(answer: readonly string[], known: readonly string[]): readonly string[] {
  const confirmed = known.filter((address) => answer.includes(address));
  return [...new Set([...confirmed, ...answer, ...known])];
}

function lastOf(failed: ReadonlySet<string>, addresses: readonly string[]): readonly string[] {
  const behind = [...failed].filter((address) => addresses.includes(address));
  return [...addresses.filter((address) => !failed.has(address)), ...behind];
}

async function readKnown(stateDir: string): Promise<Map<string, readonly Worked[]>> {
  try {
    const document: unknown = JSON.parse(await readFile(addressesPath(stateDir), 'utf8'));
    const entries = Object.entries(typeof document === 'object' && document !== null ? document : {});
    const sound = entries.map(([host, list]) => [host, parseWorked(list)] as const);
    return new Map(sound.filter(([, list]) => list.length > 0).slice(-MOST.names));
  } catch {
    return new Map();
  }
}

function parseWorked(list: unknown): Worked[] {
  if (!Array.isArray(list)) return [];
  const entries = list.flatMap((entry: unknown) => {
    const { address, at }: Record<string, unknown> = typeof entry === 'object' && entry !== null ? { ...entry } : {};
    return typeof address === 'string' && isIP(address) !== 0 && typeof at === 'number' ? [{ address, at }] : [];
  });
  return entries.slice(0, MOST.addresses);
}

function addressesPath(stateDir: string): string {
  return join(stateDir, 'addresses.json');
}
