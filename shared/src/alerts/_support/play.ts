import type { AlertState } from '../alert.js';
import { decide } from '../decide.js';
import type { AlertContext, AlertTrigger, Notification, TimelineEntry } from '../decision.js';
import type { AlertPolicy } from '../policy.js';
import { START_MS, trouble } from './builders.js';

/** An alert on a virtual clock that wakes only when something is due. Times are seconds since the start. */
export class Play {
  alert: AlertState | null = null;
  context: AlertContext = {};
  nextHoldAtMs: number | null = null;
  tags: readonly string[] = [];
  lookAtMs: number | null = null;
  readonly timeline: TimelineEntry[] = [];
  readonly changes: string[] = [];
  readonly notifications: Notification[] = [];
  #messages: string[] = [];

  constructor(public policy: AlertPolicy | null) {}

  /** Lets time pass up to a second, and then gives a trigger. */
  at(second: number, trigger: AlertTrigger): this {
    this.until(second);
    this.#decide(trigger, START_MS + second * 1000);
    return this;
  }

  down(second: number): this {
    return this.at(second, trouble('down', second));
  }

  degraded(second: number): this {
    return this.at(second, trouble('degraded', second));
  }

  /** Changes what is around the alert at a second. */
  surround(second: number, context: AlertContext): this {
    this.until(second);
    this.context = context;
    return this.at(second, { kind: 'look' });
  }

  /** Lets time pass; the clock stands at `second` afterwards. */
  until(second: number): this {
    const endMs = START_MS + second * 1000;
    while (this.lookAtMs !== null && this.lookAtMs < endMs) this.#decide({ kind: 'look' }, this.lookAtMs);
    return this;
  }

  /** Looks at an instant without having looked before. */
  lookLate(second: number): this {
    this.#decide({ kind: 'look' }, START_MS + second * 1000);
    return this;
  }

  /** Messages since the last call: `second kind channel`, with the recipients if they are not all. */
  said(): string[] {
    const said = this.#messages;
    this.#messages = [];
    return said;
  }

  /** Entries of the timeline: `second what`. */
  history(): string[] {
    return this.timeline.map(({ atMs, what }) => `${(atMs - START_MS) / 1000} ${what}`);
  }

  #decide(trigger: AlertTrigger, nowMs: number): void {
    const { alert, policy, tags, context, nextHoldAtMs } = this;
    const decision = decide({
      alert,
      monitorId: 'mon_1',
      policy,
      tags,
      context,
      nextHoldAtMs,
      trigger,
      nowMs,
    });
    this.alert = decision.alert;
    this.lookAtMs = decision.lookAtMs;
    this.timeline.push(...decision.timeline);
    this.changes.push(...decision.changes);
    this.notifications.push(...decision.notifications);
    for (const { kind, choice } of decision.notifications) {
      const to = choice.to === null ? '' : `:${choice.to.join(',')}`;
      this.#messages.push(`${(nowMs - START_MS) / 1000} ${kind} ${choice.channel_id}${to}`);
    }
  }
}
