import type { AlertContext } from '@vantage/shared/alerts/decision.js';
import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import type { AlertedMonitor } from '../../monitors/index.js';

/** Facts that may keep messages of an alert back. */
export interface HoldingFacts {
  /** Null if the monitor no longer exists. */
  readonly monitor: AlertedMonitor | null;
  readonly policy: AlertPolicy | null;
  /** End of the silences that cover the alert; null if none does. */
  readonly silencedUntilMs: number | null;
  /** Ids of the monitors that are down. */
  readonly down: ReadonlySet<string>;
}

/** Reasons outside of the policy that hold messages of an alert. */
export function contextOf({ monitor, policy, silencedUntilMs, down }: HoldingFacts): AlertContext {
  const maintenance = monitor?.maintenance ?? null;
  const isDependencyDown = dependenciesOf(policy, monitor?.id ?? '').some((id) => down.has(id));
  return {
    ...(silencedUntilMs === null ? {} : { silence: { untilMs: silencedUntilMs } }),
    ...(maintenance === null ? {} : { maintenance }),
    ...(monitor?.isFlapping === true ? { flapping: { untilMs: null } } : {}),
    ...(isDependencyDown ? { dependency: { untilMs: null } } : {}),
  };
}

/** Ids of the monitors that an alert of a policy about a monitor depends on. */
export function dependenciesOf(policy: AlertPolicy | null, monitorId: string): readonly string[] {
  return policy?.suppression.depends_on.filter((id) => id !== monitorId) ?? [];
}
