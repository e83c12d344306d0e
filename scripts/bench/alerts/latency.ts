import { isInstalled, missing } from '@vantage/shared/_support/missing.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { deliverFirst } from '../monitors/deliver.js';
import { reportOf, startWatchedSite, type WatchedSite } from '../monitors/watched-site.js';
import { sized } from '../sized.js';
import { figureOf, figureText, quantile } from '../statistics.js';
import { startAlertmanager } from './alertmanager.js';
import { atRate, until } from './pacing.js';
import { insertPolicies, sendingSettings, usePolicies } from './policies.js';
import { type Receiver, startReceiver } from './receiver.js';

const PER_SECOND = 50;
const SECONDS = sized(20, 0.4);
const CHANGES = PER_SECOND * SECONDS;
/** Below the storm guard, which joins the sixth message of a minute with the next ones. */
const PER_CHANNEL = 4;
const NODES = 10;
/** Route of Alertmanager that waits for no other alert; its defaults take half a minute. */
const atOnce = ["group_by: ['...']", 'group_wait: 0s'];

/** Time from the committed event to the request at the receiver. */
export const latency: LinkComparison = {
  name: 'latency',
  title: 'from the committed event to the request at the receiver',
  question: 'Does an alert reach its receiver within 50 ms of its event, at 50 changes a second?',
  method: ({ rounds }) =>
    `monitors with a policy and a webhook channel for every ${PER_CHANNEL} of them; ${rounds} rounds of ${CHANGES} monitors that go down one after another, ${PER_SECOND} a second; Alertmanager of Debian with its defaults takes as many alerts at the same rate, and once more with group_wait 0 s and every alert in a group of its own`,
  async run({ rounds }) {
    const waits = await ownWaits(rounds);
    const isThere = isInstalled('prometheus-alertmanager');
    const peer = isThere ? await peerWaits(sized([], atOnce)) : null;
    const alone = isThere ? await peerWaits(atOnce) : null;
    return [0.5, 0.99].flatMap((ratio): LinkRow[] => {
      const own = figureOf(waits.map((round) => quantile(round, ratio)));
      const beside = (what: string, times: readonly number[] | null, goal: string): LinkRow => {
        const base = times === null ? null : quantile(times, ratio);
        return {
          what: `p${ratio * 100}, ms${what}`,
          ours: figureText(own, 0),
          baseline: base === null ? `none: ${missing('prometheus-alertmanager')}` : base.toFixed(1),
          ratio: base === null ? '' : (own.median / base).toFixed(3),
          goal,
        };
      };
      return [
        beside(', beside Alertmanager', peer, `at most ${ratio === 0.5 ? 50 : 500}`),
        beside(', beside Alertmanager that waits for no other alert', alone, ''),
      ];
    });
  },
};

/** Milliseconds of each change, by round. */
async function ownWaits(rounds: number): Promise<number[][]> {
  const receiver = await startReceiver();
  const watched = await startWatchedSite({
    monitors: CHANGES * (rounds + 1),
    nodes: NODES,
    perMonitor: 1,
    intervalSeconds: 60,
    settings: sendingSettings,
  });
  try {
    const changes = changesOf(watched);
    const { database } = watched.site;
    const policies = await insertPolicies(database, { count: changes.length / PER_CHANNEL, url: receiver.url });
    await usePolicies(
      database,
      changes.map(({ monitorId }) => monitorId),
      policies,
    );
    await deliverFirst(watched);
    // the first round fills caches, and compiles
    const waits: number[][] = [];
    for (let round = 0; round <= rounds; round += 1)
      waits.push(await oneRound(watched, receiver, changes.slice(round * CHANGES, (round + 1) * CHANGES)));
    return waits.slice(1);
  } finally {
    await watched.stop();
    await receiver.stop();
  }
}

interface Change {
  readonly monitorId: string;
  fail(): void;
}

function changesOf({ nodes }: WatchedSite): Change[] {
  return nodes.flatMap((node) =>
    node.watches.map((watch) => ({
      monitorId: watch.monitorId,
      fail: () => node.deliver([reportOf(watch, Date.now(), true)]),
    })),
  );
}

async function oneRound({ site }: WatchedSite, receiver: Receiver, changes: readonly Change[]): Promise<number[]> {
  const before = receiver.arrivals.length;
  await atRate(changes, PER_SECOND, (change) => change.fail());
  await until('every alert has arrived', () => receiver.arrivals.length - before >= changes.length);
  const { rows } = await site.database.query<{ monitor_id: string; at: string }>(
    'SELECT monitor_id, extract(epoch FROM created_at) * 1000 AS at FROM monitor_events WHERE monitor_id = ANY($1)',
    [changes.map(({ monitorId }) => monitorId)],
  );
  const events = new Map(rows.map(({ monitor_id: id, at }) => [id, Number(at)]));
  return receiver.arrivals.slice(before).map(({ atMs, body }) => {
    const { data } = JSON.parse(body) as { data: { monitor: { id: string } } };
    return atMs - (events.get(data.monitor.id) ?? Number.NaN);
  });
}

/** Milliseconds from the moment at which an alert was sent to Alertmanager to the request that has it. */
async function peerWaits(route: readonly string[]): Promise<number[]> {
  const receiver = await startReceiver();
  const peer = await startAlertmanager(receiver.url, route);
  try {
    const sentAt = new Map<string, number>();
    const monitors = Array.from({ length: CHANGES }, (_, index) => `m${index}`);
    const told = () =>
      receiver.arrivals.flatMap(({ atMs, body }) =>
        (JSON.parse(body) as { alerts: { labels: { monitor: string } }[] }).alerts.map(({ labels }) => ({
          monitor: labels.monitor,
          atMs,
        })),
      );
    await atRate(monitors, PER_SECOND, async (monitor) => {
      sentAt.set(monitor, performance.timeOrigin + performance.now());
      await peer.fire(monitor);
    });
    await until(
      'Alertmanager has told of every alert',
      () => new Set(told().map(({ monitor }) => monitor)).size === CHANGES,
    );
    const first = new Map<string, number>();
    for (const { monitor, atMs } of told()) first.set(monitor, Math.min(atMs, first.get(monitor) ?? atMs));
    return [...first].map(([monitor, atMs]) => atMs - (sentAt.get(monitor) ?? Number.NaN));
  } finally {
    await peer.stop();
    await receiver.stop();
  }
}
