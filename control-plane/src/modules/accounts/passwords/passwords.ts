import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../../../http/errors.js';

/** Work that one hash takes: memory in KiB, passes over it, and lanes. */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

// OWASP's first choice for argon2id (RFC 9106): 19 MiB, two passes, one lane; about 20 ms
const COST: HashCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Shortest password accepted, in characters (API specification 8). */
export const MIN_PASSWORD_LENGTH = 8;
/** Longest password accepted, in characters. */
export const MAX_PASSWORD_LENGTH = 256;

/** Hash of the same form and cost that matches no password: its digest was never computed. */
const decoyOf = ({ memoryCost, timeCost, parallelism }: HashCost) =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Greatest number of hashes that run at once: each uses 19 MiB and a thread of the pool for file access and DNS lookups. */
const MAX_RUNNING = 2;
/** Greatest number of waiting hashes, about a second of work; more are refused, since their callers would give up. */
const MAX_WAITING = 64;

/** Hashes and compares passwords, a few at a time. */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `cost`: of new hashes. No setting leads here: only callers whose passwords protect nothing hash at another one. */
  constructor(private readonly cost = COST) {}

  /** Computes an argon2id hash in PHC form. @throws ApiError UNAVAILABLE when too many wait */
  hash(password: string): Promise<string> {
    return this.#run(() => hash(password, this.cost));
  }

  /** True if the password matches the hash. @throws ApiError UNAVAILABLE when too many wait */
  isSame(passwordHash: string, password: string): Promise<boolean> {
    return this.#run(() => verify(passwordHash, password));
  }

  /** Takes as long as `isSame` and is always false: for accounts that do not exist or have no password. */
  async pretend(password: string): Promise<false> {
    await this.isSame(decoyOf(this.cost), password);
    return false;
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_RUNNING) this.#running++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      // the next waiting caller takes over the slot, so that no other can take it
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw new ApiError('UNAVAILABLE', { retryAfterSeconds: 2 });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
