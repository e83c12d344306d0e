import type { Clock } from '@vantage/shared/clock.js';
import type { ProbeResults, ProbeSpecs, ProbeType } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { IcmpEngine } from '../net/icmp.js';
import type { Resolver } from '../net/resolver.js';

/** What a probe may use. Nothing else in an engine touches the network's names, clocks or policy. */
export interface ProbeContext {
  /**
   * Aborted at the deadline or on cancel; its reason is a ProbeFailure with code `timeout` or `cancelled`. An engine
   * closes every socket it opened and returns within 100 ms of the abort, with what it has measured so far.
   */
  readonly signal: AbortSignal;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** Null on a node without raw sockets. */
  readonly icmp: IcmpEngine | null;
  readonly clock: Clock;
  /** How HTTP requests name the service. */
  readonly userAgent: string;
}

/** Runs one type of probe. A failed check is a result, never an exception. */
export interface ProbeEngine<T extends ProbeType> {
  run(spec: ProbeSpecs[T], context: ProbeContext): Promise<ProbeResults[T]>;
}
