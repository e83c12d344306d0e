import type { AlertPolicy, ChannelChoice, Rule } from '@vantage/shared/alerts/policy.js';
import type { Test } from 'tap';
import type { ChannelRow } from '../../src/modules/alerts/channels/channel-row.js';
import { type AlertWorld, openAlertWorld } from './alert-world.js';
import { type Receiver, startReceiver } from './receiver.js';

/** A world of alerts with channels `a`, `b` and `c`, whose messages have the second in which they arrived. */
export interface TimedAlerts {
  readonly world: AlertWorld;
  readonly receiver: Receiver;
  /** Begins again, at second 0, with nothing but the channels. */
  begin(): Promise<void>;
  /** Messages since the last call, `second kind channel`, those of one second in the order of their texts. */
  said(): string[];
  /** Lets time pass up to a second since the start, with everything that is due. */
  to(second: number): Promise<void>;
  /** Stores a monitor with a policy of its own, which sends everything to channel `a` unless `parts` say otherwise. */
  monitor(name: string, parts?: Partial<AlertPolicy>): Promise<string>;
  /** The alert of a monitor that opened last. */
  alertOf(monitorId: string): Promise<Record<string, unknown> & { readonly id: string; readonly status: string }>;
  /** A rule for everything, which sends to channel `a` unless `parts` say otherwise. */
  rule(parts?: Partial<Rule>): Rule;
  /** One of the channels, with all of its recipients. */
  choice(name: string): ChannelChoice;
}

export async function openTimedAlerts(t: Test): Promise<TimedAlerts> {
  const receiver = await startReceiver(t);
  const world: AlertWorld = await openAlertWorld(t, { onSettled: () => note() });
  const channels = new Map<string, ChannelRow>();
  for (const name of ['a', 'b', 'c'])
    channels.set(name, await world.addChannel(name, 'webhook', { url: `${receiver.url}/${name}`, body: '{{kind}}' }));
  let startMs = world.clock.now();
  const secondNow = () => (world.clock.now() - startMs) / 1_000;
  const seconds = new Map<number, number>();
  const note = () => {
    for (const index of receiver.requests.keys()) if (!seconds.has(index)) seconds.set(index, secondNow());
  };
  let read = 0;
  const choice = (name: string): ChannelChoice => ({ channel_id: channels.get(name)?.id ?? '', to: null });
  const rule = (parts: Partial<Rule> = {}): Rule => ({
    match: { severity: [], tags_any: [], time_window: null },
    channels: [choice('a')],
    delay_sec: 0,
    repeat: { enabled: false, interval_sec: 14_400, max_count: 10 },
    ...parts,
  });
  return {
    world,
    receiver,
    rule,
    choice,
    async begin() {
      await world.clear([...channels.values()]);
      startMs = world.clock.now();
      read = 0;
      seconds.clear();
      receiver.requests.length = 0;
      receiver.reply = () => ({ status: 200 });
    },
    said() {
      note();
      const said = receiver.requests.slice(read).map(({ path, body }, index) => {
        return { second: seconds.get(read + index) ?? 0, text: `${body} ${path.slice(1)}` };
      });
      read = receiver.requests.length;
      const sorted = said.toSorted((a, b) => a.second - b.second || a.text.localeCompare(b.text));
      return sorted.map(({ second, text }) => `${second} ${text}`);
    },
    to: (second) => world.passAll((second - secondNow()) * 1_000),
    async monitor(name, parts = {}) {
      return world.addMonitor(name, { alert_policy_id: await world.addPolicy([], { rules: [rule()], ...parts }) });
    },
    alertOf: (monitorId) => world.db('alerts').where({ monitor_id: monitorId }).orderBy('created_at', 'desc').first(),
  };
}
