import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import fc from 'fast-check';
import type { MonitorEvent } from './alert-world.js';

// Random histories of three monitors with two policies and two channels, of the nodes of their owner, and of what people do meanwhile.

export const MONITORS = 3;
export const POLICIES = 2;
export const CHANNELS = 2;
export const NODES = 2;

/** Parts of a policy that histories vary. */
export interface PolicyPlan {
  /** Indexes of its channels. */
  readonly channels: readonly number[];
  readonly delay: number;
  readonly reminds: boolean;
  /** Channel of a step after two minutes, or null. */
  readonly step: number | null;
  readonly ackTimeOut: number;
  readonly recoveryDelay: number;
  readonly afterSec: number;
  readonly noDataAfterSec: number;
  readonly flapping: AlertPolicy['suppression']['flapping'];
  /** True if alerts of other monitors wait while the first monitor is down. */
  readonly dependsOnFirst: boolean;
}

export type Action =
  | { readonly kind: 'monitor'; readonly monitor: number; readonly what: MonitorEvent }
  | { readonly kind: 'acknowledge' | 'resolve'; readonly pick: number }
  /** For one monitor, or null for all; times in seconds. */
  | {
      readonly kind: 'silence' | 'window';
      readonly monitor: number | null;
      readonly inSec: number;
      readonly forSec: number;
    }
  | { readonly kind: 'silences end' }
  | { readonly kind: 'policy'; readonly policy: number; readonly plan: PolicyPlan | null }
  | { readonly kind: 'node'; readonly node: number; readonly what: 'node.offline' | 'node.online' | 'node.unhealthy' }
  | { readonly kind: 'receiver'; readonly channel: number; readonly isAway: boolean };

export interface AlertHistory {
  readonly policies: readonly PolicyPlan[];
  /** Policy of each monitor. */
  readonly policyOf: readonly number[];
  /** `max_per_minute` of each channel. */
  readonly limits: readonly (number | null)[];
  /** Each with the seconds until the next one, and the replica that handles what is due then. */
  readonly actions: readonly { readonly action: Action; readonly thenSec: number; readonly replica: number }[];
}

const plans: fc.Arbitrary<PolicyPlan> = fc.record({
  channels: fc.constantFrom([0], [1], [0, 1]),
  delay: fc.constantFrom(0, 0, 60),
  reminds: fc.boolean(),
  step: fc.constantFrom(null, 0, 1),
  ackTimeOut: fc.constantFrom(0, 120),
  recoveryDelay: fc.constantFrom(0, 0, 90),
  afterSec: fc.constantFrom(0, 0, 50),
  noDataAfterSec: fc.constantFrom(0, 360),
  flapping: fc.constantFrom<PolicyPlan['flapping']>('notice', 'all', 'none'),
  dependsOnFirst: fc.constantFrom(false, false, true),
});

const monitor = fc.nat(MONITORS - 1);
const troubles = fc.constantFrom<MonitorEvent>('down', 'down', 'down', 'degraded', 'up', 'up');
const rest = fc.constantFrom<MonitorEvent>(
  'flapping',
  'settled',
  'without data',
  'with data',
  'paused',
  'archived',
  'deleted',
);
const holdTimes = {
  monitor: fc.option(monitor),
  inSec: fc.constantFrom(0, 0, 60),
  forSec: fc.constantFrom(30, 180, 400),
};
const often = (weight: number, arbitrary: fc.Arbitrary<Action>) => ({ weight, arbitrary });
const nodeChange = fc.constantFrom('node.offline' as const, 'node.online' as const, 'node.unhealthy' as const);
const actions = fc.oneof(
  often(10, fc.record({ kind: fc.constant('monitor'), monitor, what: troubles })),
  often(3, fc.record({ kind: fc.constant('monitor'), monitor, what: rest })),
  often(2, fc.record({ kind: fc.constantFrom('acknowledge', 'resolve'), pick: fc.nat(9) })),
  often(2, fc.record({ kind: fc.constantFrom('silence', 'window'), ...holdTimes })),
  often(1, fc.constant({ kind: 'silences end' })),
  often(
    2,
    fc.record({ kind: fc.constant('policy'), policy: fc.nat(POLICIES - 1), plan: fc.option<PolicyPlan>(plans) }),
  ),
  often(2, fc.record({ kind: fc.constant('node'), node: fc.nat(NODES - 1), what: nodeChange })),
  often(3, fc.record({ kind: fc.constant('receiver'), channel: fc.nat(CHANNELS - 1), isAway: fc.boolean() })),
);

/** Histories in which everything that the runtime of alerts reacts to may happen, in any order. */
export const anyAlertHistory: fc.Arbitrary<AlertHistory> = fc.record({
  policies: fc.array(plans, { minLength: POLICIES, maxLength: POLICIES }),
  policyOf: fc.array(fc.nat(POLICIES - 1), { minLength: MONITORS, maxLength: MONITORS }),
  limits: fc.array(fc.constantFrom(null, null, 2), { minLength: CHANNELS, maxLength: CHANNELS }),
  actions: fc.array(fc.record({ action: actions, thenSec: fc.constantFrom(0, 10, 30, 60, 120), replica: fc.nat(1) }), {
    minLength: 10,
    maxLength: 30,
  }),
});
