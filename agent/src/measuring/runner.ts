import type { Clock } from '@vantage/shared/clock.js';
import type { ProbeError } from '@vantage/shared/probe-types/error-codes.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import {
  isMeasurementType,
  type MeasurementType,
  measurementOf,
  type ProbeResults,
  type ProbeSpecs,
} from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { checkSpec } from '@vantage/shared/target-policy/spec.js';
import { type NamedServer, rootHints } from '../net/dns/root-hints.js';
import { hasKernelTimes, type IcmpEngine } from '../net/icmp.js';
import type { Resolver } from '../net/resolver.js';
import type { ProbeContext } from '../probes/engine.js';
import { ProbeFailure, toProbeError } from '../probes/failure.js';
import type { Engines } from '../probes/index.js';
import { failedRun, type RunResult, withTimes } from './failed-run.js';
import { isDisturbed, LoopLag } from './loop-lag.js';
import { ProbeSchemas, SchemaMismatchError } from './probe-schemas.js';
import { RunLimit } from './run-limit.js';
import { type Leave, type SlotRequest, Slots, type SlotsOptions } from './slots.js';

/** A probe to run, unchecked: it came over the link or from the command line. */
export interface ProbeRequest {
  /** Names the run for `cancel`; unique among those in flight. */
  readonly id: string;
  readonly type: string;
  readonly spec: unknown;
  /**
   * Greatest time from now to the result. A probe has the full time of its type once it starts: time beyond that may
   * be spent waiting for a slot.
   */
  readonly deadlineMs: number;
  /** Caller whose turn the probe uses. Probes without a name share one. */
  readonly caller?: string;
}

export interface RunnerOptions {
  readonly engines: Engines;
  readonly resolver: Resolver;
  readonly icmp: IcmpEngine | null;
  readonly policy: { current(): TargetPolicy };
  readonly clock: Clock;
  /** User agent of HTTP requests. */
  readonly userAgent: string;
  /** Servers at which walks over the delegations of DNS start; default: the public root servers. */
  readonly rootServers?: readonly NamedServer[];
  readonly slots?: Pick<SlotsOptions, 'capacityUnits' | 'maxWaiting'>;
  readonly schemas?: ProbeSchemas;
  /**
   * Called for faults of an engine that should never occur: it throws, returns an invalid result, or ignores its
   * abort.
   */
  readonly onEngineFault?: (type: MeasurementType, error: unknown) => void;
}

/**
 * Runs probes side by side: validates each request again (this machine trusts no peer), waits for a slot, holds the
 * deadline and watches the event loop meanwhile. Every request gets exactly one answer; none is an exception.
 */
export class ProbeRunner {
  readonly #options: RunnerOptions;
  readonly #slots: Slots;
  readonly #lag: LoopLag;
  readonly #schemas: ProbeSchemas;
  readonly #inFlight = new Map<string, RunLimit>();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#schemas = options.schemas ?? new ProbeSchemas();
    this.#lag = new LoopLag(options.clock, () => this.#slots.admit());
    this.#slots = new Slots({ ...options.slots, isKeepingUp: () => !this.#lag.isBehind });
  }

  async run(request: ProbeRequest): Promise<RunResult> {
    try {
      if (!isMeasurementType(request.type))
        throw new ProbeFailure('not_supported', `this node does not support "${request.type}"`);
      return await this.#runChecked(request, request.type, this.#check(request.type, request.spec));
    } catch (error) {
      return this.refuse(request, toProbeError(error));
    }
  }

  /** Ends a run with `cancelled`; unknown ids do nothing. */
  cancel(id: string): void {
    this.#inFlight.get(id)?.abort(new ProbeFailure('cancelled', 'cancelled before it finished'));
  }

  /** The answer to a request that is not measured. */
  refuse(request: Pick<ProbeRequest, 'type' | 'spec'>, error: ProbeError): RunResult {
    return failedRun(this.#schemas, request, error, this.#options.clock.now());
  }

  /** Limits apply on both sides: requests that the control plane accepted are judged again. */
  #check<T extends MeasurementType>(type: T, value: unknown): ProbeSpecs[T] {
    try {
      const spec = this.#schemas.parseSpec(type, value);
      checkSpec(type, spec, this.#options.policy.current());
      return spec;
    } catch (error) {
      if (error instanceof SchemaMismatchError)
        throw new ProbeFailure('not_supported', error.message, { cause: error });
      if (error instanceof TargetError) throw new ProbeFailure('target_not_allowed', error.message, { cause: error });
      throw error;
    }
  }

  async #runChecked<T extends MeasurementType>(
    request: ProbeRequest,
    type: T,
    spec: ProbeSpecs[T],
  ): Promise<RunResult> {
    const limit = new RunLimit(this.#options.clock);
    const fullMs = Math.min(request.deadlineMs, measurementOf(type).deadlineMs(spec));
    this.#inFlight.set(request.id, limit);
    let leave: Leave | null = null;
    try {
      const { units = plainUnits, maxConcurrent = Number.POSITIVE_INFINITY } = this.#options.engines[type].load ?? {};
      const wish = { caller: request.caller ?? '', type, units: units(spec), maxConcurrent };
      leave = await this.#enter(wish, limit, request.deadlineMs - fullMs);
      limit.endAfter(fullMs, () => new ProbeFailure('timeout', `no response within ${fullMs} ms`));
      return await this.#measure(type, spec, limit);
    } finally {
      leave?.();
      limit.end();
      this.#inFlight.delete(request.id);
    }
  }

  /** A probe without its full time is reported at once: started late, it would time out and blame its target. */
  #enter(wish: Omit<SlotRequest, 'begin' | 'refuse'>, limit: RunLimit, patienceMs: number): Promise<Leave> {
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const begin = (leave: Leave) => {
        isWaiting = false;
        resolve(leave);
      };
      const refuse = () => {
        isWaiting = false;
        reject(new ProbeFailure('overload', 'too many probes are waiting on this node'));
      };
      const withdraw = this.#slots.enter({ begin, refuse, ...wish });
      if (!isWaiting) return;
      limit.endAfter(patienceMs, () => new ProbeFailure('overload', 'this node had no capacity for the probe in time'));
      const onAbort = () => {
        if (!isWaiting) return;
        withdraw();
        reject(limit.signal.reason);
      };
      limit.signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  async #measure<T extends MeasurementType>(type: T, spec: ProbeSpecs[T], limit: RunLimit): Promise<RunResult> {
    const { clock, engines, icmp } = this.#options;
    const isByKernel = hasKernelTimes(icmp) && (engines[type].isTimedByIcmp?.(spec) ?? false);
    const startedMs = clock.monotonicMs();
    const endWatch = this.#lag.watch();
    const answer = await Promise.race([this.#answer(type, spec, limit.signal), limit.overdue]);
    const durationMs = clock.monotonicMs() - startedMs;
    const lagMs = endWatch();
    // by the wall clock at the end, by which the result is corrected: the clock may have been set meanwhile
    const startedAt = clock.now() - durationMs;
    const times = { startedAt, durationMs, lagMs, isDisturbed: isDisturbed(lagMs, { durationMs, isByKernel }) };
    if (answer === null) this.#options.onEngineFault?.(type, new Error('did not stop when aborted'));
    const result = withTimes(answer ?? failedResult(type, spec, toProbeError(limit.signal.reason)), times);
    try {
      this.#schemas.checkResult(type, result);
      return result;
    } catch (error) {
      this.#options.onEngineFault?.(type, error);
      return withTimes(
        failedResult(type, spec, { code: 'internal', message: 'the result does not match its type' }),
        times,
      );
    }
  }

  async #answer<T extends MeasurementType>(
    type: T,
    spec: ProbeSpecs[T],
    signal: AbortSignal,
  ): Promise<ProbeResults[T]> {
    const { engines, resolver, icmp, policy, clock, userAgent, rootServers = rootHints } = this.#options;
    const common = { resolver, icmp, clock, userAgent, rootServers };
    const context: ProbeContext = { signal, policy: policy.current(), ...common };
    try {
      return await engines[type].run(spec, context);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) this.#options.onEngineFault?.(type, error);
      return failedResult(type, spec, toProbeError(error));
    }
  }
}

function plainUnits(): number {
  return 1;
}
