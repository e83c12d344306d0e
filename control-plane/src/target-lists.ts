import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Clock } from '@vantage/shared/clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Logger } from 'pino';

// effective within a minute, as promised; half of it leaves room
const REREAD_MS = 30_000;

/** The deny list has an invalid line, or its file cannot be read. */
export class DenyListError extends Error {
  override readonly name = 'DenyListError';
}

interface TargetListsOptions {
  readonly allow: readonly string[];
  /** One CIDR, address or domain per line, # comments; null if there are none. */
  readonly denyFile: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the deny list has changed. */
  onChange(): void;
}

/** Target policy of this control plane, with the operator's deny list as the file has it now. */
export class TargetLists {
  #policy: TargetPolicy;
  readonly #listeners: (() => void)[] = [];
  #cancel: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: TargetListsOptions) {
    this.#policy = new TargetPolicy({ allow: options.allow, own: ownAddresses(), denied: [] });
  }

  get policy(): TargetPolicy {
    return this.#policy;
  }

  /** Calls back when the deny list has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** @throws DenyListError naming the bad line: a deny list that cannot be read protects no one */
  async start(): Promise<void> {
    if (this.options.denyFile === null) return;
    await this.#read(this.options.denyFile);
    this.#schedule(this.options.denyFile);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #schedule(file: string): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(REREAD_MS, () => {
      this.#read(file)
        .catch((error: unknown) =>
          this.options.log.error({ err: error, file }, 'cannot use deny list, keeping the previous one'),
        )
        .finally(() => this.#schedule(file));
    });
  }

  async #read(file: string): Promise<void> {
    const denied = parseDenyList(await readText(file), file);
    if (JSON.stringify(denied) === JSON.stringify(this.#policy.lists.denied)) return;
    this.#policy = new TargetPolicy({ allow: this.options.allow, own: ownAddresses(), denied });
    this.options.onChange();
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Entries of a deny list: one per line, without blank lines and comments.
 * @throws DenyListError naming `file` and the first bad line
 */
export function parseDenyList(text: string, file: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const badLine = lines.findIndex((line) => line !== '' && !isDeniable(line));
  if (badLine >= 0) {
    throw new DenyListError(
      `line ${badLine + 1} of "${file}" is not a CIDR, an address or a domain name: "${lines[badLine]}"`,
    );
  }
  return lines.filter((line) => line !== '');
}

function isDeniable(entry: string): boolean {
  try {
    return new TargetPolicy({ allow: [], own: [], denied: [entry] }).lists.denied.length === 1;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new DenyListError(`cannot read "${file}": ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

/** Addresses of this machine's interfaces: never a target unless the operator allows it. */
function ownAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return [...new Set(addresses.map(({ address }) => address.replace(/%.*/, '')))].sort();
}
