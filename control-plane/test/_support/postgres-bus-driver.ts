import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import { PostgresBus } from '../../src/bus/postgres-bus.js';
import { type BusDriver, type BusSettings, busSecretKey } from './bus-driver.js';
import { createTestDatabase, databaseServer, databaseThrough } from './database.js';
import { TcpProxy } from './tcp-proxy.js';

/** Driver of the bus in the database, behind a proxy that can cut it. */
export async function openPostgresDriver(t: Test): Promise<BusDriver> {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  const proxy = await TcpProxy.start(t);
  proxy.forwardTo(databaseServer(url));
  const proxied = databaseThrough(proxy.url, url);
  const openAt = (at: string, replicaId: string, settings: BusSettings) => {
    const { clock = systemClock, hasOthers = true, isListening = true, log = pino({ level: 'silent' }) } = settings;
    const bus = new PostgresBus({
      url: at,
      replicaId,
      secretKey: busSecretKey,
      isListening,
      hasOthers: () => hasOthers,
      log,
      clock,
    });
    t.teardown(() => bus.stop());
    return bus;
  };
  return {
    open: (replicaId, settings = {}) => openAt(proxied, replicaId, settings),
    openNowhere: (settings = {}) => openAt('postgres://127.0.0.1:1/none', 'rep_x', settings),
    lose: async () => proxy.cut(),
    restore: async () => proxy.forwardTo(databaseServer(url)),
    channelOf: (replicaId) => `vantage_${replicaId ?? 'all'}`,
    say: async (replicaId, payload) => {
      await db.raw('SELECT pg_notify(?, ?)', [`vantage_${replicaId ?? 'all'}`, payload.slice(0, 7_999)]);
    },
    connections: async () =>
      (await db('pg_stat_activity').where({ application_name: 'vantage-bus', datname: db.raw('current_database()') }))
        .length,
  };
}
