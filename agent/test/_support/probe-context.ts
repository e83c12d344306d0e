import type { Clock } from '@vantage/shared/clock.js';
import { type MeasurementType, measurements, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Endpoint } from '../../src/net/endpoint.js';
import { StubResolver } from '../../src/net/resolver.js';
import type { ProbeContext } from '../../src/probes/engine.js';
import { patientClock } from './patient-clock.js';

/** Clock of tests that are not about an expiry: pauses within a check are shorter than what it lengthens. */
const patient = patientClock({ isLengthened: (ms) => ms >= 300, times: 20 });

/** User agent of the requests of these contexts. */
export const testUserAgent = 'vantage-agent/test (+https://vantage.example/abuse)';

/** Policy that allows public addresses and loopback. */
export const loopbackAllowed = ['127.0.0.0/8', '::1/128'];

/** Policy that allows public addresses and `ranges`. */
export function aPolicy(ranges: readonly string[] = loopbackAllowed): TargetPolicy {
  return new TargetPolicy({ allow: ranges, own: [], denied: [] });
}

/** A resolver that asks these servers; those that callers name are asked on `customServerPort`. */
export function aResolver(
  servers: readonly Endpoint[],
  options: { clock?: Clock; customServerPort?: number } = {},
): StubResolver {
  return new StubResolver({ clock: patient, ownServers: () => servers, ...options });
}

/** Context for an engine: loopback allowed, a resolver without a server, no raw sockets, the machine's clock with long waits. */
export function aContext(parts: Partial<ProbeContext> = {}): ProbeContext {
  return {
    signal: new AbortController().signal,
    policy: aPolicy(),
    resolver: aResolver([{ address: '127.0.0.1', port: 1 }]),
    icmp: null,
    clock: patient,
    userAgent: testUserAgent,
    rootServers: [],
    ...parts,
  };
}

/** A spec as the schema makes it, defaults filled in. */
export function aSpec<T extends MeasurementType>(
  type: T,
  target: string,
  params: Partial<ProbeSpecs[T]['params']> = {},
): ProbeSpecs[T] {
  const checked = compileSchema(measurements[type].Spec)({ target, params });
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value as ProbeSpecs[T];
}
