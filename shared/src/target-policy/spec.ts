import { type MeasurementType, measurements, type ProbeSpecs } from '../probe-types/index.js';
import type { Host } from './host.js';
import type { TargetPolicy } from './policy.js';

type TargetRules = {
  readonly [T in MeasurementType]: {
    readonly targetHost: (spec: ProbeSpecs[T]) => Host;
    readonly furtherHosts: (spec: ProbeSpecs[T]) => readonly Host[];
    readonly checkTarget: (spec: ProbeSpecs[T], policy: TargetPolicy) => void;
  };
};

const rules: TargetRules = measurements;

/**
 * Judges everything that can be known of a spec without resolving: hosts, ports, headers. Both programs call it, the
 * agent because it trusts no control plane. The spec is already valid by its schema.
 * @throws TargetError
 */
export function checkSpec<T extends MeasurementType>(type: T, spec: ProbeSpecs[T], policy: TargetPolicy): void {
  rules[type].checkTarget(spec, policy);
}

/** The host a spec aims at, by name or address. @throws TargetError */
export function targetHost<T extends MeasurementType>(type: T, spec: ProbeSpecs[T]): Host {
  return rules[type].targetHost(spec);
}

/** Every host a spec makes a node send packets to that is known before resolving, the target first. @throws TargetError */
export function touchedHosts<T extends MeasurementType>(type: T, spec: ProbeSpecs[T]): readonly Host[] {
  return [rules[type].targetHost(spec), ...rules[type].furtherHosts(spec)];
}
