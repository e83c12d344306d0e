import type { Clock } from '@vantage/shared/clock.js';
import type { MeasurementType, ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { NamedServer } from '../net/dns/root-hints.js';
import type { IcmpEngine } from '../net/icmp.js';
import type { Resolver } from '../net/resolver.js';

/** Resources that a probe may use. Nothing else in an engine touches the network's names, clocks or policy. */
export interface ProbeContext {
  /**
   * Aborted at the deadline or on cancel; its reason is a ProbeFailure with code `timeout` or `cancelled`. An engine
   * closes every socket it opened and returns within 100 ms of the abort, with what it has measured so far.
   */
  readonly signal: AbortSignal;
  readonly policy: TargetPolicy;
  readonly resolver: Resolver;
  /** Engine for ICMP; null on a node without raw sockets. */
  readonly icmp: IcmpEngine | null;
  readonly clock: Clock;
  /** Servers at which a walk over the delegations of DNS starts; at least one. */
  readonly rootServers: readonly NamedServer[];
  /** User agent of HTTP requests. */
  readonly userAgent: string;
}

/** Load of a probe on the measuring process, limited so that probes in flight do not spoil each other's timings. */
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
  /** Absent for one unit, and no bound of its own. */
  readonly load?: EngineLoad<T>;
  /**
   * True if every time of such a probe comes from the ICMP engine, whose times stay right on a late loop; absent:
   * false.
   */
  isTimedByIcmp?(spec: ProbeSpecs[T]): boolean;
  run(spec: ProbeSpecs[T], context: ProbeContext): Promise<ProbeResults[T]>;
}
