import { QueryBudget } from './query-budget.js';
import type { Resolution, ResolveRequest, Resolver } from './resolver.js';

/**
 * The names of one run. Each is asked for once, however often the run comes back to it: the address that was judged is
 * the one that is connected to, and a name that changes its mind within a run changes nothing.
 */
export class KnownNames {
  readonly #resolver: Resolver;
  readonly #request: Omit<ResolveRequest, 'host' | 'budget' | 'onAlias'>;
  readonly #budget = new QueryBudget();
  readonly #byName = new Map<string, Resolution>();
  readonly #aliases = new Map<string, Set<string>>();

  /** `request` is what all questions of the run have in common. */
  constructor(resolver: Resolver, request: Omit<ResolveRequest, 'host' | 'budget' | 'onAlias'>) {
    this.#resolver = resolver;
    this.#request = request;
  }

  /** The addresses of a host; `ms` is 0 for one the run has asked for before. @throws ProbeFailure as Resolver.resolve */
  async resolve(host: ResolveRequest['host']): Promise<Resolution> {
    const name = host.kind === 'name' ? host.name : host.address;
    const known = this.#byName.get(name);
    if (known !== undefined) return { addresses: known.addresses, ms: 0 };
    const aliases = new Set<string>();
    this.#aliases.set(name, aliases);
    const onAlias = (alias: string) => void aliases.add(alias);
    const resolution = await this.#resolver.resolve({ host, budget: this.#budget, onAlias, ...this.#request });
    this.#byName.set(name, resolution);
    return resolution;
  }

  /** Names to which a host is an alias, as far as they were seen. */
  aliasesOf(host: ResolveRequest['host']): string[] {
    return host.kind === 'name' ? [...(this.#aliases.get(host.name) ?? [])] : [];
  }
}
