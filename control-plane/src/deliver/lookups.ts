import type { Address, Resolve } from './pinned.js';

/** Lookups of one account at a time: names whose servers are silent hold sockets for seconds. */
const MAX_OPEN = 16;

/** Resolves names, for each account a few at a time; what is over that waits. */
export class Lookups {
  readonly #open = new Map<string, Set<Promise<unknown>>>();

  constructor(private readonly resolve: Resolve) {}

  /** `account`: on whose behalf. @throws the error of the resolver; or the signal's reason */
  async run(name: string, account: string, signal: AbortSignal): Promise<readonly Address[]> {
    for (let open = this.#open.get(account); open && open.size >= MAX_OPEN; open = this.#open.get(account))
      await Promise.race(open);
    signal.throwIfAborted();
    const own = this.#open.get(account) ?? new Set();
    this.#open.set(account, own);
    const looking = this.resolve(name, signal);
    // the race of those who wait must not see an error that is not theirs
    const ended = looking.then(
      () => {},
      () => {},
    );
    own.add(ended);
    void ended.then(() => {
      own.delete(ended);
      if (own.size === 0) this.#open.delete(account);
    });
    return looking;
  }
}
