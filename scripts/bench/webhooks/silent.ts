import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { atRate, until } from '../alerts/pacing.js';
import { sendingSettings } from '../alerts/policies.js';
import type { LinkComparison } from '../link/comparison.js';
import { deliverFirst } from '../monitors/deliver.js';
import { reportOf, startWatchedSite, type WatchedSite } from '../monitors/watched-site.js';
import { sized } from '../sized.js';
import { quantile } from '../statistics.js';
import { insertEndpoints, type MadeEndpoint } from './endpoints.js';

const ENDPOINTS = sized(1_000, 20);
const SILENT = sized(200, 4);
const PER_SECOND = 50;
/** Longer than an attempt takes that is never answered: silence shows from its beginning to when it is known. */
const SECONDS = sized(60, 1);
const CHANGES = PER_SECOND * SECONDS;
const NODES = 10;

/** Endpoints that never answer, and the others. */
export const silent: LinkComparison = {
  name: 'silent',
  title: 'endpoints that never answer',
  question: 'Do 200 of 1 000 endpoints that never answer leave the others as fast as they were?',
  method: () =>
    `${ENDPOINTS} endpoints of as many accounts, each at an address of its own; ${CHANGES} monitors of theirs go down one after another, ${PER_SECOND} a second, first while all answer, then while ${SILENT} take the request and never answer; from the committed event to the request at one of the other ${ENDPOINTS - SILENT}`,
  async run() {
    const receiver = await startSilentReceiver();
    const watched = await startWatchedSite({
      monitors: 3 * CHANGES,
      nodes: NODES,
      perMonitor: 1,
      intervalSeconds: 3_600,
      settings: sendingSettings,
    });
    try {
      const endpoints = await insertEndpoints(
        watched.site.database,
        ENDPOINTS,
        (index) => `http://127.1.${Math.floor(index / 250)}.${(index % 250) + 1}:${receiver.port}/${index}`,
      );
      const changes = await givenAway(watched, endpoints);
      await deliverFirst(watched);
      const one = (round: number) => oneRound(watched, receiver, changes.slice(round * CHANGES, (round + 1) * CHANGES));
      await one(0);
      const without = await one(1);
      receiver.isSilent = true;
      const meanwhile = await one(2);
      return [0.5, 0.99].map((ratio) => {
        const [ours, base] = [quantile(meanwhile, ratio), quantile(without, ratio)];
        return {
          what: `to the ${ENDPOINTS - SILENT} others, p${ratio * 100}, ms`,
          ours: ours.toFixed(0),
          baseline: `all answer: ${base.toFixed(0)}`,
          ratio: (ours / base).toFixed(2),
          goal: ratio === 0.99 ? 'at most 2' : '',
        };
      });
    } finally {
      await watched.stop();
      receiver.stop();
    }
  },
};

interface Change {
  readonly monitorId: string;
  /** False: its endpoint may be silent. */
  readonly isOther: boolean;
  fail(): void;
}

/** Gives the monitors to the accounts of the endpoints, in turns. */
async function givenAway({ site, nodes }: WatchedSite, endpoints: readonly MadeEndpoint[]): Promise<Change[]> {
  const changes = nodes.flatMap((node) =>
    node.watches.map((watch, index) => ({
      monitorId: watch.monitorId,
      index,
      fail: () => node.deliver([reportOf(watch, Date.now(), true)]),
    })),
  );
  const placed = changes.map((change, index) => ({ ...change, isOther: index % ENDPOINTS >= SILENT }));
  await site.database.query(
    'UPDATE monitors m SET owner_id = n.owner_id, created_by = n.owner_id FROM unnest($1::text[], $2::text[]) AS n(id, owner_id) WHERE m.id = n.id',
    [placed.map(({ monitorId }) => monitorId), placed.map((_, index) => endpoints[index % ENDPOINTS]?.ownerId)],
  );
  return placed;
}

/** Milliseconds of the changes whose endpoint answers in every round. */
async function oneRound(
  { site }: WatchedSite,
  receiver: SilentReceiver,
  changes: readonly Change[],
): Promise<number[]> {
  receiver.arrivals.clear();
  await atRate(changes, PER_SECOND, (change) => change.fail());
  const others = changes.filter(({ isOther }) => isOther).map(({ monitorId }) => monitorId);
  await until('every event has arrived', () => others.every((id) => receiver.arrivals.has(id)), 120_000);
  const { rows } = await site.database.query<{ monitor_id: string; at: string }>(
    'SELECT monitor_id, extract(epoch FROM created_at) * 1000 AS at FROM monitor_events WHERE monitor_id = ANY($1)',
    [others],
  );
  return rows.map(({ monitor_id: id, at }) => (receiver.arrivals.get(id) ?? Number.NaN) - Number(at));
}

interface SilentReceiver {
  readonly port: number;
  /** Instants of the first request about each monitor. */
  readonly arrivals: Map<string, number>;
  /** True: the first endpoints are not answered. */
  isSilent: boolean;
  stop(): void;
}

/** Starts a receiver on every address of this machine. */
async function startSilentReceiver(): Promise<SilentReceiver> {
  const sockets = new Set<Socket>();
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const atMs = performance.timeOrigin + performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { monitor: { id: string } } };
      if (!arrivals.has(data.monitor.id)) arrivals.set(data.monitor.id, atMs);
      if (receiver.isSilent && Number(request.url?.slice(1)) < SILENT) return;
      response.end('ok');
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const receiver: SilentReceiver = {
    port: (server.address() as AddressInfo).port,
    arrivals,
    isSilent: false,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return receiver;
}
