import type { Clock } from '@vantage/shared/clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { readOwnAddresses } from '../net/own-addresses.js';

/** Interfaces come and go; the machine's addresses are read again after this long. */
const OWN_ADDRESSES_MAX_AGE_MS = 60_000;

/** Lists that the control plane adds to the target policy. */
export interface ControlPlaneLists {
  /** Addresses of the control plane itself. */
  readonly own: readonly string[];
  /** The operator's deny list: CIDRs and domain names. */
  readonly denied: readonly string[];
}

/** The target policy of this node as it stands now: the operator's ranges, this machine, the control plane's lists. */
export class PolicySource {
  readonly #clock: Clock;
  readonly #allow: readonly string[];
  readonly #readOwn: () => string[];
  #lists: ControlPlaneLists = { own: [], denied: [] };
  #policy: TargetPolicy | null = null;
  #builtMs = 0;

  constructor(options: { clock: Clock; allow: readonly string[]; readOwn?: () => string[] }) {
    this.#clock = options.clock;
    this.#allow = options.allow;
    this.#readOwn = options.readOwn ?? readOwnAddresses;
  }

  /** @throws RangeError naming the bad entry; the lists before stay in force */
  setLists(lists: ControlPlaneLists): void {
    this.#build(lists);
    this.#lists = lists;
  }

  current(): TargetPolicy {
    const isStale = this.#clock.monotonicMs() - this.#builtMs > OWN_ADDRESSES_MAX_AGE_MS;
    return this.#policy === null || isStale ? this.#build(this.#lists) : this.#policy;
  }

  #build(lists: ControlPlaneLists): TargetPolicy {
    const own = [...this.#readOwn(), ...lists.own];
    this.#policy = new TargetPolicy({ allow: this.#allow, own, denied: lists.denied });
    this.#builtMs = this.#clock.monotonicMs();
    return this.#policy;
  }
}
