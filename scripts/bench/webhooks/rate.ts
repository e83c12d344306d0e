import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { openDatabase } from 'vantage-control/db/database.js';
import { publishAll } from 'vantage-control/events/publish.js';
import { until } from '../alerts/pacing.js';
import { sendingSettings } from '../alerts/policies.js';
import type { BenchDatabase } from '../bench-database.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { deliverFirst } from '../monitors/deliver.js';
import { reportOf, startWatchedSite, type WatchedSite } from '../monitors/watched-site.js';
import { cpuSecondsOf } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { insertEndpoints, type MadeEndpoint } from './endpoints.js';

const EVENTS = sized(4_800, 64);
/** Each has four attempts under way at most, so that 64 are. */
const ENDPOINTS = 16;
const CONNECTIONS = 64;

const here = dirname(fileURLToPath(import.meta.url));

/** Events per second from the outbox to the receivers. */
export const rate: LinkComparison = {
  name: 'rate',
  title: 'events a second, from the outbox to the receivers',
  question: 'Does sending webhooks reach half the rate of a bare loop?',
  method: ({ rounds }) =>
    `${EVENTS} events in the outbox, for ${ENDPOINTS} endpoints with four attempts at once each; from their commit until the last delivery is marked; bare loop: a process that POSTs ${EVENTS} stored messages of the same size with undici over ${CONNECTIONS} connections and updates one row for each, in the same database; once with kept connections, as webhooks have, and once with a new one for each message; the receiver is a process of its own; ${rounds} rounds after one that is not counted, in turns`,
  async run({ rounds }) {
    const watched = await startWatchedSite({
      monitors: rounds + 1,
      nodes: 1,
      perMonitor: 1,
      intervalSeconds: 3_600,
      settings: sendingSettings,
    });
    const db = openDatabase({ url: watched.site.databaseUrl, poolSize: 1, applicationName: 'bench' });
    const receiver = await startBare();
    try {
      const endpoints = await insertEndpoints(watched.site.database, ENDPOINTS, (index) => `${receiver.url}/${index}`);
      await deliverFirst(watched);
      const own: Sending[] = [];
      const kept: Sending[] = [];
      const fresh: Sending[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        own.push(await ownRate(watched, { db, endpoints, round }));
        kept.push(await bareRate(watched, receiver.url, 'kept'));
        fresh.push(await bareRate(watched, receiver.url, 'fresh'));
      }
      const [, ...counted] = own;
      return [
        rateRow('kept connections', counted, kept.slice(1), 'at least 0.5'),
        rateRow('new connections', counted, fresh.slice(1), ''),
        cpuRow('CPU of the sending process for an event, µs', 'senderUs', counted, kept.slice(1), fresh.slice(1)),
        cpuRow('CPU of PostgreSQL for an event, µs', 'databaseUs', counted, kept.slice(1), fresh.slice(1)),
      ];
    } finally {
      receiver.child.disconnect();
      await db.destroy();
      await watched.stop();
    }
  },
};

/** Figures of one round. */
interface Sending {
  readonly perSecond: number;
  readonly senderUs: number;
  readonly databaseUs: number;
}

function rateRow(beside: string, own: readonly Sending[], bare: readonly Sending[], goal: string): LinkRow {
  const [ours, theirs] = [own, bare].map((all) => figureOf(all.map(({ perSecond }) => perSecond)));
  if (ours === undefined || theirs === undefined) throw new RangeError('no rounds');
  return {
    what: `events/s, beside a bare loop with ${beside}`,
    ours: figureText(ours, 0),
    baseline: figureText(theirs, 0),
    ratio: (ours.median / theirs.median).toFixed(2),
    goal,
  };
}

function cpuRow(
  what: string,
  name: 'senderUs' | 'databaseUs',
  ...[own, kept, fresh]: readonly (readonly Sending[])[]
): LinkRow {
  const [ours, theirs, newly] = [own, kept, fresh].map((all = []) => figureOf(all.map((one) => one[name])));
  if (ours === undefined || theirs === undefined || newly === undefined) throw new RangeError('no rounds');
  return {
    what,
    ours: figureText(ours, 0),
    baseline: `kept: ${figureText(theirs, 0)}; new: ${figureText(newly, 0)}`,
    ratio: (ours.median / theirs.median).toFixed(2),
    goal: '',
  };
}

async function ownRate(
  { site, nodes }: WatchedSite,
  {
    db,
    endpoints,
    round,
  }: { readonly db: BenchDatabase; readonly endpoints: readonly MadeEndpoint[]; readonly round: number },
): Promise<Sending> {
  const events = Array.from({ length: EVENTS }, (_, index) => eventOf(endpoints[index % ENDPOINTS]?.ownerId ?? ''));
  await db.transaction((trx) => publishAll(trx, events as never));
  const startedMs = performance.now();
  const before = { sender: cpuSecondsOf(site.server().pid), database: cpuSecondsOf(site.databasePid()) };
  // a judgment wakes the control plane, as that of the events' own monitors would
  const [node] = nodes;
  const watch = node?.watches[round];
  if (watch !== undefined) node?.deliver([reportOf(watch, Date.now(), true)]);
  await until('every event is delivered', async () => {
    const { rows } = await db.raw<{ rows: { waits: boolean }[] }>(
      `SELECT EXISTS (SELECT FROM outbox_marks WHERE consumer = 'webhooks.relay')
         OR EXISTS (SELECT FROM webhook_queues WHERE due_at IS NOT NULL) AS waits`,
    );
    return rows[0]?.waits === false;
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    "SELECT count(*)::int AS count FROM webhook_deliveries WHERE status = 'delivered'",
  );
  if (rows[0]?.count !== EVENTS * (round + 1))
    throw new Error(`${rows[0]?.count} of ${EVENTS * (round + 1)} delivered`);
  return {
    perSecond: EVENTS / seconds,
    senderUs: ((cpuSecondsOf(site.server().pid) - before.sender) * 1e6) / EVENTS,
    databaseUs: ((cpuSecondsOf(site.databasePid()) - before.database) * 1e6) / EVENTS,
  };
}

function eventOf(ownerId: string) {
  const id = newId(idPrefixes.monitor);
  const monitor = { id, name: id, type: 'http', target: 'http://example.com/', tags: [], group_id: null };
  return { kind: 'monitor.resumed', ownerId, isTest: false, subject: id, payload: { monitor } };
}

async function bareRate({ site }: WatchedSite, url: string, way: 'kept' | 'fresh'): Promise<Sending> {
  const before = cpuSecondsOf(site.databasePid());
  const child = fork(join(here, 'bare-sender.js'), [url, String(CONNECTIONS), String(EVENTS), way], {
    env: { ...process.env, DATABASE_URL: site.databaseUrl },
  });
  const [{ perSecond, cpuSeconds }] = (await once(child, 'message')) as [{ perSecond: number; cpuSeconds: number }];
  await once(child, 'exit');
  return {
    perSecond,
    senderUs: (cpuSeconds * 1e6) / EVENTS,
    databaseUs: ((cpuSecondsOf(site.databasePid()) - before) * 1e6) / EVENTS,
  };
}

async function startBare(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = fork(join(dirname(here), 'servers.js'), ['bare']);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, child };
}
