import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { listenOrigin } from '../config/setting-values.js';
import { loadSecretKey } from '../crypto/secret-key.js';
import { migrate } from '../db/migrate.js';
import { ensurePartitions } from '../db/partitions.js';
import { openPool, openStorage, type Storage } from '../db/storage.js';
import { createRegistry } from '../http/frame/metrics.js';
import { type ReservedAddress, reservePort } from '../http/listeners/reserve-port.js';
import { loadServerIdentity, type ServerIdentity } from '../links/index.js';
import type { PasswordHasher } from '../modules/accounts/index.js';
import { listening } from '../runtime/listen-error.js';
import { Metrics } from '../runtime/metrics.js';
import type { Stops } from '../runtime/stops.js';

// requests and agents don't wait for one another's connections: many requests must not cut the links of agents
const POOL_SIZES = { requests: 12, agents: 8, limits: 2 };
const MAX_WAITING_REQUESTS = 500;

/** Longest waits of a replica, in milliseconds, in place of those of its parts: machines of tests are slower than those of services. */
export interface Patience {
  /** For a reply of the store of limits. */
  readonly limitsMs: number;
  /** For a connection to the database or to the message server. */
  readonly connectMs: number;
  /** For the turn of a request among others of its caller. */
  readonly turnMs: number;
  /** Between two heartbeats of an agent with work. */
  readonly busyHeartbeatMs: number;
}

/** Parts that a control plane is given. */
export interface Given {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly patience?: Patience;
  /** Default: hashes passwords at the full cost. */
  readonly hasher?: PasswordHasher;
  /** A directory around the data directory, removed when the embedded database has stopped. */
  readonly ephemeral?: string;
}

/** Parts that all others are built on. */
export interface Foundation extends Given, Databases {
  readonly replicaId: string;
  readonly secretKey: Buffer;
  readonly identity: ServerIdentity;
  /** Reserved port of the server, so that no other process gets it before the server is ready. */
  readonly listen: ReservedAddress;
  readonly listenUrl: string;
  readonly publicUrl: string;
  readonly registry: ReturnType<typeof createRegistry>;
  readonly metrics: Metrics;
}

interface Databases {
  readonly storage: Storage;
  /** Connections of requests. */
  readonly db: Knex;
  readonly agentsDb: Knex;
  readonly limitsDb: Knex;
}

/** Opens the database, brings it up to date, and finds the keys and the addresses. @throws as startControlPlane */
export async function layFoundation(given: Given, stops: Stops): Promise<Foundation> {
  const { config, clock, log } = given;
  const databases = await openDatabases(given, stops);
  const { db } = databases;
  await migrate(db, log);
  await ensurePartitions(db, clock.now());
  const secretKey = await loadSecretKey(config.secretKey, config.dataDir);
  const identity = await loadServerIdentity(db, secretKey);
  const listen = await listening(reservePort(config.listen), config.listen, 'VANTAGE_LISTEN');
  stops.push(() => void listen.holder?.close());
  const listenUrl = listenOrigin(listen, config.tlsCert === null ? 'http' : 'https');
  const registry = createRegistry();
  return {
    ...given,
    ...databases,
    replicaId: newId(idPrefixes.replica),
    secretKey,
    identity,
    listen,
    listenUrl,
    publicUrl: config.publicUrl ?? listenUrl,
    registry,
    metrics: new Metrics(registry),
  };
}

async function openDatabases({ config, log, ephemeral, patience }: Given, stops: Stops): Promise<Databases> {
  const acquireTimeoutMs = patience?.connectMs;
  const storage = await openStorage({
    config,
    log,
    mode: 'own',
    poolSize: POOL_SIZES.requests,
    maxWaiting: MAX_WAITING_REQUESTS,
    acquireTimeoutMs,
    ...(ephemeral === undefined ? {} : { ephemeral }),
  });
  stops.push(() => storage.close());
  const agentsDb = openPool({
    url: storage.url,
    poolSize: POOL_SIZES.agents,
    applicationName: 'vantage-control agents',
    acquireTimeoutMs,
  });
  stops.push(() => agentsDb.destroy());
  const limitsDb = openPool({
    url: storage.url,
    poolSize: POOL_SIZES.limits,
    applicationName: 'vantage-control limits',
    acquireTimeoutMs,
    // losing a few units in a crash costs less than a wait of every request for the disk
    settings: { synchronous_commit: 'off', statement_timeout: `${Math.max(1_000, patience?.limitsMs ?? 0)}ms` },
  });
  stops.push(() => limitsDb.destroy());
  return { storage, db: storage.db, agentsDb, limitsDb };
}
