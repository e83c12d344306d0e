import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import pg from 'pg';
import { startEmbeddedPostgres } from 'vantage-control/db/embedded/index.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import type { Stops } from '../harness.js';
import { ControlPlane, type Environment, postmasterPid, UNREACHED } from '../programs.js';
import { type Fleet, type FleetNode, startFleet } from './fleet.js';

/** PostgreSQL, one control plane on it and a fleet of enrolled agents that are not connected: each its own processes. */
export interface Site {
  readonly server: ControlPlane;
  /** Token of the administrator. */
  readonly token: string;
  readonly fleet: Fleet;
  readonly nodeIds: readonly string[];
  readonly nodes: readonly FleetNode[];
  readonly databaseUrl: string;
  readonly databasePid: number;
  /** Pool for the statements of the benchmark itself. */
  readonly database: pg.Pool;
  /** A directory that PostgreSQL reads too. */
  readonly exchange: string;
}

/** Starts a site with `agents` enrolled. Its database waits for the disk as in production. `settings`: of the control plane. */
export async function startSite(agents: number, stops: Stops, settings: Environment = {}): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const dataDir = join(directory, 'database');
  const postgres = await startEmbeddedPostgres({ dataDir, log: createLogger('silent') });
  stops.push(() => postgres.stop());
  const address = `127.0.0.1:${await freePort()}`;
  const plan = { requests_per_minute: UNREACHED, node_tests_per_day: UNREACHED };
  const server = new ControlPlane({
    VANTAGE_DATA_DIR: join(directory, 'control-plane'),
    VANTAGE_DATABASE_URL: postgres.url,
    // the next process is at the same address
    VANTAGE_LISTEN: address,
    VANTAGE_PUBLIC_URL: `http://${address}`,
    VANTAGE_PLANS: JSON.stringify({ anonymous: plan }),
    ...settings,
  });
  await server.start();
  stops.push(() => server.stop());
  const token = await server.createAdministrator();
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
  database.on('error', () => {});
  stops.push(() => database.end());
  const exchange = join(directory, 'exchange');
  await mkdir(exchange);
  const nodes = await insertNodes(database, agents);
  const nodesFile = join(directory, 'nodes.json');
  await writeFile(nodesFile, JSON.stringify(nodes));
  return {
    server,
    token,
    fleet: await startFleet(server.url, nodesFile, stops),
    nodes,
    nodeIds: nodes.map(({ nodeId }) => nodeId),
    databaseUrl: postgres.url,
    databasePid: postmasterPid(dataDir),
    database,
    exchange,
  };
}

/** Nodes of the administrator that are enrolled without a request: no benchmark here measures enrollment. */
async function insertNodes(database: pg.Pool, count: number): Promise<FleetNode[]> {
  const keys = Array.from({ length: count }, () => generateKeyPairSync('ed25519').privateKey);
  const ids = keys.map(() => newId(idPrefixes.node));
  await database.query(
    `INSERT INTO nodes (id, owner_id, name, visibility, public_key, hostname, agent_version, os, arch)
     SELECT n.id, u.id, 'fleet', 'public', n.key, 'fleet', '0.1.0', 'linux', 'x64'
     FROM unnest($1::text[], $2::bytea[]) AS n(id, key), (SELECT id FROM users LIMIT 1) u`,
    [ids, keys.map((key) => Buffer.from(rawPublicKey(key)))],
  );
  return keys.map((key, index) => ({
    nodeId: ids[index] as string,
    privateKey: key.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
