import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import pg from 'pg';
import { startEmbeddedPostgres } from 'vantage-control/db/embedded/index.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import { ADMINISTRATOR_SCOPES } from '../../administrator-scopes.js';
import { Program, runToEnd } from '../../demo/program.js';
import { Fleet } from './fleet.js';
import type { FleetNode } from './fleet-messages.js';

const root = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));
const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
const EMAIL = 'bench@example.com';

/** PostgreSQL, one control plane on it and a fleet of enrolled agents that are not connected: each its own processes. */
export interface Site {
  readonly url: string;
  readonly token: string;
  readonly fleet: Fleet;
  readonly nodeIds: readonly string[];
  readonly nodes: readonly FleetNode[];
  readonly databaseUrl: string;
  /** Pool for the statements of the bench itself. */
  readonly database: pg.Pool;
  /** A directory that PostgreSQL reads too. */
  readonly exchange: string;
  readonly server: () => Program;
  readonly databasePid: () => number;
  /** kill -9 of the control plane; starts the next one at the same address and waits until it is ready. */
  restartServer(): Promise<void>;
  /** A fast shutdown of PostgreSQL. @returns what starts it again, and resolves when it accepts connections */
  stopDatabase(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Starts a site with `agents` enrolled. Its database waits for the disk as in production. `settings`: of the control plane, by variable. */
export async function startSite(agents: number, settings: Readonly<Record<string, string>> = {}): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  const stop = async () => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
  };
  try {
    return { ...(await build(directory, { agents, settings }, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function build(
  directory: string,
  { agents, settings }: { readonly agents: number; readonly settings: Readonly<Record<string, string>> },
  stops: (() => unknown)[],
): Promise<Omit<Site, 'stop'>> {
  const startDatabase = () =>
    startEmbeddedPostgres({ dataDir: join(directory, 'database'), log: createLogger('silent') });
  let postgres = await startDatabase();
  stops.push(() => postgres.stop());
  const url = `http://127.0.0.1:${await freePort()}`;
  const environment = { ...environmentOf(directory, url, postgres.url), ...settings };
  let server = await startServer(environment);
  stops.push(() => server.stop());
  await runToEnd(controlScript, ['user', 'create', '--email', EMAIL, '--role', 'admin'], environment);
  const create = ['token', 'create', '--user', EMAIL, '--scopes', ADMINISTRATOR_SCOPES];
  const token = (await runToEnd(controlScript, create, environment)).trim();
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 });
  database.on('error', () => {});
  stops.push(() => database.end());
  const exchange = join(directory, 'exchange');
  await mkdir(exchange);
  const nodes = await insertNodes(database, agents);
  const nodesFile = join(directory, 'nodes.json');
  await writeFile(nodesFile, JSON.stringify(nodes));
  const fleet = new Fleet();
  stops.push(() => fleet.stop());
  await fleet.order('begin', { url, nodesFile });
  return {
    url,
    token,
    fleet,
    nodes,
    nodeIds: nodes.map(({ nodeId }) => nodeId),
    databaseUrl: postgres.url,
    database,
    exchange,
    server: () => server,
    databasePid: () =>
      Number(readFileSync(join(directory, 'database', 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
    async restartServer() {
      process.kill(server.pid, 'SIGKILL');
      await server.ended;
      server = await startServer(environment);
    },
    async stopDatabase() {
      await postgres.stop();
      return async () => {
        postgres = await startDatabase();
      };
    },
  };
}

function environmentOf(directory: string, url: string, databaseUrl: string): Record<string, string> {
  return {
    VANTAGE_DATA_DIR: join(directory, 'control-plane'),
    VANTAGE_DATABASE_URL: databaseUrl,
    VANTAGE_LISTEN: url.replace('http://', ''),
    VANTAGE_PUBLIC_URL: url,
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_LOG_LEVEL: 'info',
    // counted as for any account, and never reached
    VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 1000000000, "node_tests_per_day": 1000000000}}',
  };
}

async function startServer(environment: Readonly<Record<string, string>>): Promise<Program> {
  const server = new Program('serve', controlScript, ['serve'], environment);
  await server.waitForLine((line) => (line.includes('"ready"') ? true : null));
  return server;
}

/** Enrolled without asking: nobody measures enrollment here. */
async function insertNodes(database: pg.Pool, count: number): Promise<FleetNode[]> {
  const keys = Array.from({ length: count }, () => generateKeyPairSync('ed25519').privateKey);
  const ids = keys.map(() => newId(idPrefixes.node));
  await database.query(
    `INSERT INTO nodes (id, owner_id, name, visibility, public_key, hostname, agent_version, os, arch)
     SELECT n.id, u.id, 'fleet', 'public', n.key, 'fleet', '0.1.0', 'linux', 'x64'
     FROM unnest($1::text[], $2::bytea[]) AS n(id, key), users u WHERE u.email = $3`,
    [ids, keys.map((key) => Buffer.from(rawPublicKey(key))), EMAIL],
  );
  return keys.map((key, index) => ({
    nodeId: ids[index] as string,
    privateKey: key.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
