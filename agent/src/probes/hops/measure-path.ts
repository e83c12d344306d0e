import type { TraceSpec } from '@vantage/shared/probe-types/trace-params.js';
import { parseHost } from '@vantage/shared/target-policy/host.js';
import { QueryBudget } from '../../net/query-budget.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { ProbeContext } from '../engine.js';
import { type ProbeFailure, toProbeError } from '../failure.js';
import { endingOf, requireIcmp, resolveOne } from '../one-target.js';
import { HopNames } from './hop-names.js';
import { openFlows } from './open-flows.js';
import { Path } from './path.js';
import type { Schedule } from './schedule.js';
import { Trace } from './trace.js';

/** Result of following a path; null members before the target was resolved. */
export interface MeasuredPath {
  readonly target: ResolvedAddress | null;
  readonly path: Path | null;
  /** Names by address. */
  readonly names: ReadonlyMap<string, string>;
  readonly failure: ProbeFailure | null;
}

/** Resolves the target and follows the way to it as the schedule says. What is no failed check is thrown. */
export async function measurePath(spec: TraceSpec, schedule: Schedule, context: ProbeContext): Promise<MeasuredPath> {
  const budget = new QueryBudget();
  const names = new HopNames({ ...context, budget });
  let target: ResolvedAddress | null = null;
  let path: Path | null = null;
  const measured = async (failure: ProbeFailure | null) => ({ target, path, failure, names: await names.finish() });
  try {
    const icmp = requireIcmp(context);
    const { params } = spec;
    target = await resolveOne(parseHost(spec.target), params.ip_version, { ...context, budget });
    path = new Path({ target: target.address, maxHops: params.max_hops, timeoutMs: params.timeout_ms });
    const onAddress = (address: string) => {
      if (params.reverse_dns) names.want(address);
    };
    const trace = new Trace({ path, schedule, clock: context.clock, onAddress });
    const flows = await openFlows({ icmp, target, params, listener: trace });
    try {
      await trace.follow(flows, context.signal);
    } finally {
      for (const flow of flows) flow.close();
    }
    return await measured(path.failure());
  } catch (error) {
    return measured(endingOf(error, target));
  }
}

/** The members of a result that do not depend on the form of its hops. */
export function pathResult({ params }: TraceSpec, { target, path, failure }: MeasuredPath) {
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: target?.address ?? null,
    ip_version: target?.family ?? null,
    protocol: params.protocol,
    reached: path?.isReached ?? false,
  };
}
