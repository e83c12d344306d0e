import { createHash } from 'node:crypto';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { type Logger, pino } from 'pino';
import type { Test } from 'tap';
import type { Bus } from '../../src/bus/bus.js';
import type { NatsAddress } from '../../src/bus/bus-address.js';
import { NatsBus } from '../../src/bus/nats-bus.js';
import { PostgresBus } from '../../src/bus/postgres-bus.js';
import { parseBusUrl } from '../../src/setting-values.js';
import { createTestDatabase, databaseServer, databaseThrough } from './database.js';
import { NatsServer } from './nats-server.js';
import { TcpProxy } from './tcp-proxy.js';

/** How a bus of a test differs from that of a replica among others. */
export interface BusSettings {
  readonly clock?: Clock;
  readonly hasOthers?: boolean;
  readonly isListening?: boolean;
  /** Default: silent. */
  readonly log?: Logger;
}

/** One kind of bus, as the contract drives it. */
export interface BusDriver {
  /** The bus of a replica, not started yet; stopped with the test. */
  open(replicaId: string, settings?: BusSettings): Bus;
  /** A bus that leads nowhere. */
  openNowhere(settings?: BusSettings): Bus;
  /** Takes away what carries the messages: every connection ends, nobody takes new ones. */
  lose(): Promise<void>;
  /** Brings it back. */
  restore(): Promise<void>;
  /** Says something as anybody may who has access to what carries the messages; to all, or to one replica. */
  say(replicaId: string | null, payload: string): Promise<void>;
  /** Connections of buses that are open. */
  connections(): Promise<number>;
}

/** The bus in the database, behind a proxy that can cut it. */
export async function openPostgresDriver(t: Test): Promise<BusDriver> {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  const proxy = await TcpProxy.start(t);
  proxy.forwardTo(databaseServer(url));
  const proxied = databaseThrough(proxy.url, url);
  const openAt = (at: string, replicaId: string, settings: BusSettings) => {
    const { clock = systemClock, hasOthers = true, isListening = true, log = pino({ level: 'silent' }) } = settings;
    const bus = new PostgresBus({ url: at, replicaId, isListening, hasOthers: () => hasOthers, log, clock });
    t.teardown(() => bus.stop());
    return bus;
  };
  return {
    open: (replicaId, settings = {}) => openAt(proxied, replicaId, settings),
    openNowhere: (settings = {}) => openAt('postgres://127.0.0.1:1/none', 'rep_x', settings),
    lose: async () => proxy.cut(),
    restore: async () => proxy.forwardTo(databaseServer(url)),
    say: async (replicaId, payload) => {
      await db.raw('SELECT pg_notify(?, ?)', [`vantage_${replicaId ?? 'all'}`, payload.slice(0, 7_999)]);
    },
    connections: async () =>
      (await db('pg_stat_activity').where({ application_name: 'vantage-bus', datname: db.raw('current_database()') }))
        .length,
  };
}

/** Of the installation that every bus here belongs to unless a test says otherwise. */
const identityKey = Buffer.alloc(32, 1);
/** What the subjects of an installation begin with. */
export function subjectPrefix(key: Uint8Array = identityKey): string {
  return `vantage.${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** A bus at an address as the settings name it; stopped with the test. */
export function openNatsBus(
  t: Test,
  url: string,
  {
    replicaId = 'rep_a',
    key = identityKey,
    log = pino({ level: 'silent' }),
    ...settings
  }: BusSettings & {
    replicaId?: string;
    key?: Buffer;
  } = {},
): NatsBus {
  const { clock = systemClock, hasOthers = true, isListening = true } = settings;
  const address = parseBusUrl(url) as NatsAddress;
  const bus = new NatsBus({
    address,
    identityKey: key,
    replicaId,
    isListening,
    hasOthers: () => hasOthers,
    log,
    clock,
  });
  t.teardown(() => bus.stop());
  return bus;
}

/** The bus over a server of its own. */
export async function openNatsDriver(t: Test): Promise<BusDriver> {
  const monitoring = await lastingPort();
  const server = await NatsServer.start(t, ['--http_port', String(monitoring)]);
  return {
    open: (replicaId, settings = {}) => openNatsBus(t, `nats://${server.address}`, { ...settings, replicaId }),
    openNowhere: (settings = {}) => openNatsBus(t, 'nats://127.0.0.1:1', settings),
    lose: () => server.stop(),
    restore: () => server.start(),
    say: (replicaId, payload) => server.publish(`${subjectPrefix()}.${replicaId ?? 'all'}`, payload),
    connections: async () => {
      const answer = await fetch(`http://127.0.0.1:${monitoring}/connz`).catch(() => null);
      return answer === null ? 0 : ((await answer.json()) as { connections: unknown[] }).connections.length;
    },
  };
}
