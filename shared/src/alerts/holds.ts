import type { AlertState, Hold } from './alert.js';
import type { DecisionInput } from './decision.js';
import { type AlertPolicy, type AlertSeverity, alertSeverities, type QuietHours } from './policy.js';
import { earliest } from './rules.js';
import { closingOf, isOpen, nextOpening } from './time-windows.js';

// Messages of an alert are held while any hold applies, and due again when the last one has ended. Quiet hours with the action `drop` hold
// nothing: a message that becomes due in them is dropped, unless something else holds it.

/** Hold that applies at an instant. */
export interface ActiveHold {
  readonly hold: Hold;
  /** Instant at which it ends; null if a trigger will end it. */
  readonly untilMs: number | null;
  /** True if messages are dropped and not held. */
  readonly drops: boolean;
}

/** Time in which a monitor that others depend on may be found down after them. */
const DEPENDENCY_WAIT_MS = 30_000;

const outsideHolds = ['silence', 'maintenance', 'dependency', 'flapping'] as const;

/** All that holds the messages of an alert at an instant. */
export function activeHolds(alert: AlertState, policy: AlertPolicy, input: DecisionInput): ActiveHold[] {
  const { context, nowMs } = input;
  const held = (hold: Hold, untilMs: number | null): ActiveHold => ({ hold, untilMs, drops: false });
  const named = outsideHolds.flatMap((hold) => {
    const end = context[hold];
    return end === undefined ? [] : [held(hold, end.untilMs)];
  });
  const all = [
    ...named.filter(({ hold }) => hold !== 'flapping' || policy.suppression.flapping !== 'all'),
    ...quietHolds(policy.suppression.quiet_hours, alert.severity, nowMs),
    held('dependency', dependencyWaitEnd(alert, policy, input.monitorId)),
    held('after_sec', alert.startedAtMs + policy.suppression.after_sec * 1000),
  ];
  return all.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
}

/** Names of holds, each once. */
export function holdNames(active: readonly ActiveHold[]): Hold[] {
  return [...new Set(active.map(({ hold }) => hold))];
}

/** Next instant at which quiet hours begin to hold alerts of a severity; null if none do. */
export function nextQuietBegin({ suppression }: AlertPolicy, severity: AlertSeverity, nowMs: number): number | null {
  const holding = suppression.quiet_hours.filter((quiet) => quiet.action === 'hold' && isQuiet(quiet, severity));
  return earliest(holding.map((quiet) => nextOpening(quiet, nowMs)));
}

function quietHolds(all: readonly QuietHours[], severity: AlertSeverity, nowMs: number): ActiveHold[] {
  return all
    .filter((quiet) => isQuiet(quiet, severity) && isOpen(quiet, nowMs))
    .map((quiet) => ({ hold: 'quiet_hours', untilMs: closingOf(quiet, nowMs), drops: quiet.action === 'drop' }));
}

function isQuiet({ below }: QuietHours, severity: AlertSeverity): boolean {
  return alertSeverities.indexOf(severity) > alertSeverities.indexOf(below);
}

/** End of the wait for a monitor that this one depends on; it goes down for the same reason, but may be found down later. */
function dependencyWaitEnd({ openedAtMs }: AlertState, { suppression }: AlertPolicy, monitorId: string): number {
  const dependsOnOthers = suppression.depends_on.length > 0 && !suppression.depends_on.includes(monitorId);
  return dependsOnOthers ? openedAtMs + DEPENDENCY_WAIT_MS : openedAtMs;
}
