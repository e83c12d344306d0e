import type { AlertState } from '../alert.js';
import { decide } from '../decide.js';
import type { AlertNews, Surroundings, Tell, TimelineEntry } from '../decision.js';
import type { AlertPolicy } from '../policy.js';
import { START_MS, trouble } from './builders.js';

/** An alert on a virtual clock that wakes only when something is due. Times are seconds since the start. */
export class Play {
  alert: AlertState | null = null;
  surroundings: Surroundings = {};
  nextHoldAtMs: number | null = null;
  tags: readonly string[] = [];
  lookAtMs: number | null = null;
  readonly timeline: TimelineEntry[] = [];
  readonly changes: string[] = [];
  readonly tells: Tell[] = [];
  #messages: string[] = [];

  constructor(public policy: AlertPolicy | null) {}

  /** Lets time pass up to a second, and then gives news. */
  at(second: number, news: AlertNews): this {
    this.until(second);
    this.#decide(news, START_MS + second * 1000);
    return this;
  }

  down(second: number): this {
    return this.at(second, trouble('down', second));
  }

  degraded(second: number): this {
    return this.at(second, trouble('degraded', second));
  }

  /** Changes what is around the alert at a second. */
  surround(second: number, surroundings: Surroundings): this {
    this.until(second);
    this.surroundings = surroundings;
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

  #decide(news: AlertNews, nowMs: number): void {
    const { alert, policy, tags, surroundings, nextHoldAtMs } = this;
    const decision = decide({
      alert,
      monitorId: 'mon_1',
      policy,
      tags,
      surroundings,
      nextHoldAtMs,
      news,
      nowMs,
    });
    this.alert = decision.alert;
    this.lookAtMs = decision.lookAtMs;
    this.timeline.push(...decision.timeline);
    this.changes.push(...decision.changes);
    this.tells.push(...decision.tells);
    for (const { kind, choice } of decision.tells) {
      const to = choice.to === null ? '' : `:${choice.to.join(',')}`;
      this.#messages.push(`${(nowMs - START_MS) / 1000} ${kind} ${choice.channel_id}${to}`);
    }
  }
}
