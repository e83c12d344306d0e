import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { openDatabase } from 'vantage-control/db/database.js';
import { publishAll } from 'vantage-control/events/publish.js';
import { sendingSettings } from '../alerts/policies.js';
import { BenchError, type Part, rowOf, sized, withStops } from '../harness.js';
import { deliverFirst } from '../monitors/deliver.js';
import { reportOf, startWatchedSite, type WatchedSite } from '../monitors/watched-site.js';
import { cpuSecondsOf } from '../processes.js';
import { startChild, startServer } from '../programs.js';
import { insertEndpoints, type MadeEndpoint } from './endpoints.js';

const EVENTS = sized(4_800, 64);
/** Each has four attempts under way at most, so that 64 are. */
const ENDPOINTS = 16;
const CONNECTIONS = 64;

/** Events per second from the outbox to the receivers. */
export const rate: Part = {
  name: 'rate',
  title: 'events a second, from the outbox to the receivers',
  question: 'Does sending webhooks reach half the rate of a bare loop?',
  method: ({ rounds }) =>
    `${EVENTS} events in the outbox, for ${ENDPOINTS} endpoints with four attempts at once each; from their commit until the last delivery is marked; bare loop: a process that POSTs ${EVENTS} stored messages of the same size with undici over ${CONNECTIONS} connections and updates one row for each, in the same database; the receiver is a process of its own; ${rounds} rounds after one that is not counted, in turns`,
  async run({ rounds }, stops) {
    const size = { monitors: rounds + 1, nodes: 1, perMonitor: 1, intervalSeconds: 3_600 };
    const watched = await startWatchedSite({ ...size, settings: sendingSettings }, stops);
    const db = openDatabase({ url: watched.site.databaseUrl, poolSize: 1, applicationName: 'bench' });
    stops.push(() => db.destroy());
    const receiver = await startServer('bare', stops);
    const endpoints = await insertEndpoints(watched.site.database, ENDPOINTS, (index) => `${receiver.url}/${index}`);
    await deliverFirst(watched);
    const [own, bare]: [Sending[], Sending[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      own.push(await ownRate(watched, { db, endpoints, round }));
      bare.push(await bareRate(watched, receiver.url));
    }
    const row = (figure: keyof Sending, what: string, goal = '') => {
      const [ours, baseline] = [own, bare].map((all) => all.slice(1).map((one) => one[figure]));
      return rowOf(what, { ours: ours ?? [], baseline: baseline ?? [], against: 'bare loop', digits: 0, goal });
    };
    return [
      row('perSecond', 'events/s', 'at least 0.5'),
      row('senderUs', 'CPU of the sending process for an event, µs'),
      row('databaseUs', 'CPU of PostgreSQL for an event, µs'),
    ];
  },
};

/** Figures of one round. */
interface Sending {
  readonly perSecond: number;
  readonly senderUs: number;
  readonly databaseUs: number;
}

interface OwnRound {
  readonly db: ReturnType<typeof openDatabase>;
  readonly endpoints: readonly MadeEndpoint[];
  readonly round: number;
}

async function ownRate({ site, nodes }: WatchedSite, { db, endpoints, round }: OwnRound): Promise<Sending> {
  const events = Array.from({ length: EVENTS }, (_, index) => eventOf(endpoints[index % ENDPOINTS]?.ownerId ?? ''));
  await db.transaction((trx) => publishAll(trx, events as never));
  const startedMs = performance.now();
  const [sender, database] = [cpuSecondsOf(site.server.pid), cpuSecondsOf(site.databasePid)];
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
    throw new BenchError(`${rows[0]?.count} of ${EVENTS * (round + 1)} events were delivered`);
  return {
    perSecond: EVENTS / seconds,
    senderUs: ((cpuSecondsOf(site.server.pid) - sender) * 1e6) / EVENTS,
    databaseUs: ((cpuSecondsOf(site.databasePid) - database) * 1e6) / EVENTS,
  };
}

function eventOf(ownerId: string) {
  const id = newId(idPrefixes.monitor);
  const monitor = { id, name: id, type: 'http', target: 'http://example.com/', tags: [], group_id: null };
  return { kind: 'monitor.resumed', ownerId, isTest: false, subject: id, payload: { monitor } };
}

function bareRate({ site }: WatchedSite, url: string): Promise<Sending> {
  return withStops(async (stops) => {
    const before = cpuSecondsOf(site.databasePid);
    const script = new URL('./bare-sender.js', import.meta.url);
    const { message } = await startChild<{ perSecond: number; cpuSeconds: number }>(
      script,
      [url, String(CONNECTIONS), String(EVENTS)],
      { environment: { DATABASE_URL: site.databaseUrl }, stops },
    );
    return {
      perSecond: message.perSecond,
      senderUs: (message.cpuSeconds * 1e6) / EVENTS,
      databaseUs: ((cpuSecondsOf(site.databasePid) - before) * 1e6) / EVENTS,
    };
  });
}
