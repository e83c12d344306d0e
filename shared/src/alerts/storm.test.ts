import t from 'tap';
import { aPolicy, over, START_MS, trouble } from './_support/builders.js';
import type { AlertState } from './alert.js';
import { decide } from './decide.js';
import type { AlertTrigger, Notification } from './decision.js';
import { type BundledAlert, bundleDueAt, emptyBundle, joinStorm, planBundle, stormTimes } from './joining.js';

/** Channel with the storm guard before it, and the alerts that each of its messages named. */
class Channel {
  readonly messages: { readonly atMs: number; readonly opened: string[]; readonly resolved: string[] }[] = [];
  #state = emptyBundle;
  #members = new Map<string, BundledAlert>();

  take(alertId: string, notification: Notification, nowMs: number): void {
    const joining = { ...notification, isMember: this.#members.has(alertId), hasRoom: true };
    const { state, isJoined } = joinStorm(this.#state, joining, nowMs);
    this.#state = state;
    const isFiring = notification.kind !== 'resolved';
    if (!isJoined) {
      this.messages.push({ atMs: nowMs, opened: isFiring ? [alertId] : [], resolved: isFiring ? [] : [alertId] });
      return;
    }
    const notifiedSeverity = this.#members.get(alertId)?.notifiedSeverity ?? (isFiring ? null : notification.severity);
    this.#members.set(alertId, { alertId, severity: notification.severity, isFiring, notifiedSeverity });
  }

  until(nowMs: number): void {
    const dueAtMs = bundleDueAt(this.#state, stormTimes);
    if (dueAtMs === null || dueAtMs > nowMs) return;
    const { state, message, alerts } = planBundle(this.#state, [...this.#members.values()], dueAtMs);
    this.#state = state;
    this.#members = new Map(alerts.map((alert) => [alert.alertId, alert]));
    if (message === null) return;
    const ids = (all: readonly BundledAlert[]) => all.map(({ alertId }) => alertId);
    this.messages.push({ atMs: dueAtMs, opened: ids(message.opened), resolved: ids(message.resolved) });
  }

  within(fromSecond: number, toSecond: number) {
    const [fromMs, toMs] = [START_MS + fromSecond * 1000, START_MS + toSecond * 1000];
    return this.messages.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  }
}

/** Seconds over which the events of one storm are spread, and monitors that it hits. */
for (const [spreadSeconds, monitors] of [
  [0, 1_000],
  [3, 10_000],
  [500, 1_000],
] as const) {
  t.test(
    `${monitors} monitors down and up again, each within ${spreadSeconds} s, are at most 8 messages each way`,
    async (t) => {
      const policy = aPolicy();
      const channel = new Channel();
      const alerts = new Map<string, AlertState>();
      const give = (index: number, trigger: AlertTrigger, nowMs: number) => {
        const id = `ae_${index}`;
        const alert = alerts.get(id) ?? null;
        const input = {
          alert,
          monitorId: 'mon_1',
          policy,
          tags: [],
          context: {},
          nextHoldAtMs: null,
          trigger,
          nowMs,
        };
        const decision = decide(input);
        if (decision.alert !== null) alerts.set(id, decision.alert);
        for (const notification of decision.notifications) channel.take(id, notification, nowMs);
      };
      const storm = (fromSecond: number, triggerAt: (second: number) => AlertTrigger) => {
        for (let index = 0; index < monitors; index += 1) {
          const second = fromSecond + Math.floor((index / monitors) * spreadSeconds);
          channel.until(START_MS + second * 1000 - 1);
          give(index, triggerAt(second), START_MS + second * 1000);
        }
        for (let second = fromSecond + spreadSeconds; second < fromSecond + 1200; second += 1)
          channel.until(START_MS + second * 1000);
      };
      storm(0, (second) => trouble('down', second));
      storm(1200, (second) => over(second));

      t.ok(channel.within(0, 600).length <= 8, `${channel.within(0, 600).length} messages for what began`);
      t.ok(channel.within(1200, 1800).length <= 8, `${channel.within(1200, 1800).length} messages for what ended`);
      const sorted = (...ids: readonly (readonly string[])[]) => ids.flat().sort().join();
      const all = sorted([...alerts.keys()]);
      t.equal(sorted(...channel.messages.map(({ opened }) => opened)), all, 'each begins in one message');
      t.equal(sorted(...channel.messages.map(({ resolved }) => resolved)), all, 'each ends in one message');
    },
  );
}
