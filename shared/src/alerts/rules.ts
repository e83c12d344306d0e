import type { AlertState, PlannedNotification, Trouble } from './alert.js';
import { joinTwo } from './choices.js';
import type { AlertPolicy, Rule } from './policy.js';
import { isOpen, nextOpening } from './time-windows.js';

// Rules are asked when an alert opens, when its severity rises, when it fires again, and when the time window of one begins while
// it fires. Their answers are plans: a channel, and the instant at which it is due. All rules that match apply.

/** Facts that a rule is matched with. */
export interface RuleFacts {
  readonly severity: Trouble['severity'];
  /** Tags of the monitor, in lower case. */
  readonly tags: readonly string[];
}

/** Plans of all rules that match at an instant; their delays count from `fromMs`. */
export function askRules(
  policy: AlertPolicy,
  facts: RuleFacts,
  nowMs: number,
  fromMs: number = nowMs,
): PlannedNotification[] {
  return planned(policy, (rule) => (matches(rule, facts) && isOpenAt(rule, nowMs) ? fromMs : null));
}

/**
 * Plans of rules whose time window has begun at `windowAtMs` or since. Delays count from the opening of the alert: one
 * that has lasted long enough is notified when the window begins.
 */
export function askOpenedWindows(
  policy: AlertPolicy,
  facts: RuleFacts,
  { openedAtMs, windowAtMs }: AlertState,
  nowMs: number,
): PlannedNotification[] {
  if (windowAtMs === null || windowAtMs > nowMs) return [];
  return planned(policy, (rule) => {
    const beginMs = matches(rule, facts) ? beginAfter(rule, windowAtMs - 1) : null;
    if (beginMs === null || beginMs > nowMs) return null;
    // not before the window begins, in terms of the opening
    return Math.max(openedAtMs, beginMs - rule.delay_sec * 1000);
  });
}

/** Next instant at which the time window of a rule that matches begins; null if none does. */
export function nextWindow(policy: AlertPolicy, facts: RuleFacts, nowMs: number): number | null {
  const begins = policy.rules.map((rule) => (matches(rule, facts) ? beginAfter(rule, nowMs) : null));
  return earliest(begins);
}

/** One plan for each channel: the earliest instant, and the recipients of all. */
export function joinPlans(plans: readonly PlannedNotification[]): PlannedNotification[] {
  const joined = new Map<string, PlannedNotification>();
  for (const plan of plans) {
    const known = joined.get(plan.choice.channel_id);
    const first = known === undefined || plan.atMs < known.atMs ? plan : known;
    const choice = known === undefined ? plan.choice : joinTwo(known.choice, plan.choice);
    joined.set(choice.channel_id, { ...first, rule: first.rule ?? known?.rule ?? plan.rule, choice });
  }
  return [...joined.values()];
}

/**
 * Plans as the policy is now. Plans of a rule or step that no longer names their channel are not sent; the rules are asked again instead, with
 * delays from `openedAtMs`, so that a change of the policy loses no one who waits.
 */
export function followPolicy(
  policy: AlertPolicy,
  facts: RuleFacts,
  plans: readonly PlannedNotification[],
  { openedAtMs, nowMs }: { readonly openedAtMs: number; readonly nowMs: number },
): readonly PlannedNotification[] {
  const kept = plans.filter(({ rule, choice }) => {
    const named = rule === null ? policy.escalation.steps : [policy.rules[rule]];
    return named.some((by) => by?.channels.some(({ channel_id: id }) => id === choice.channel_id));
  });
  if (kept.length === plans.length) return plans;
  return joinPlans([...kept, ...askRules(policy, facts, nowMs, openedAtMs)]);
}

/** The smallest of some instants; null if there is none. */
export function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Plans of the rules for which `from` returns the instant from which their delay counts. */
function planned({ rules }: AlertPolicy, from: (rule: Rule) => number | null): PlannedNotification[] {
  const plans = rules.flatMap((rule, index) => {
    const fromMs = from(rule);
    if (fromMs === null) return [];
    return rule.channels.map((choice) => ({ choice, atMs: fromMs + rule.delay_sec * 1000, rule: index }));
  });
  return joinPlans(plans);
}

function matches({ match }: Rule, { severity, tags }: RuleFacts): boolean {
  const isSevere = match.severity.length === 0 || match.severity.includes(severity);
  const isTagged = match.tags_any.length === 0 || match.tags_any.some((tag) => tags.includes(tag));
  return isSevere && isTagged;
}

function isOpenAt({ match: { time_window: window } }: Rule, instantMs: number): boolean {
  return window === null || isOpen(window, instantMs);
}

function beginAfter({ match: { time_window: window } }: Rule, afterMs: number): number | null {
  return window === null ? null : nextOpening(window, afterMs);
}
