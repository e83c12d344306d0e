import type { Clock } from '@vantage/shared/clock.js';
import type { MeasurementType, ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { NamedServer } from '../net/dns/root-hints.js';
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
  /** Where a walk over the delegations of DNS begins; at least one. */
  readonly rootServers: readonly NamedServer[];
  /** How HTTP requests name the service. */
  readonly userAgent: string;
}

/** What a probe takes of the measuring process, so that those in flight together do not spoil each other's timings. */
export interface EngineLoad<T extends MeasurementType> {
  /**
   * CPU in units of one plain probe, of which a node runs 100 at a time (SLOT_UNITS): 4 for a fresh TLS handshake
   * (measured 2026-11), fractions for what mostly waits. More than there is counts as all there is.
   */
  units(spec: ProbeSpecs[T]): number;
  /** Probes of this type in flight at most; absent: as many as units allow. */
  readonly maxConcurrent?: number;
}

/** Runs one type of probe. A failed check is a result, never an exception. */
export interface ProbeEngine<T extends MeasurementType> {
  /** Absent: one unit, and no bound of its own. */
  readonly load?: EngineLoad<T>;
  /** Whether every time of such a probe comes from the ICMP engine, whose times stay right on a late loop; absent: no. */
  isTimedByIcmp?(spec: ProbeSpecs[T]): boolean;
  run(spec: ProbeSpecs[T], context: ProbeContext): Promise<ProbeResults[T]>;
}
