import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ApiClient } from 'vantage-control/client/api-client.js';
import { readRunningFile } from 'vantage-control/db/embedded/running-file.js';
import { ADMINISTRATOR_SCOPES } from '../administrator-scopes.js';
import { Program, runToEnd } from '../demo/program.js';
import { bareGet, closedLoop, type Load, LoadClient } from './load.js';
import { cpuSecondsOf, machineCpu, memoryOf, memoryOfAll, processTree } from './processes.js';
import { machineText, tableText, writeReport } from './report.js';
import { type Figure, figureOf, figureText } from './statistics.js';

const onePing = { target: '127.0.0.1', params: { count: 1 } };

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const controlScript = join(root, 'control-plane', 'bin', 'vantage-control.js');
const agentScript = join(root, 'agent', 'bin', 'vantage-agent.js');
const ALLOWED = '127.0.0.0/8,::1/128';
const SECONDS = 4;
const IN_FLIGHT = 64;
const IDLE_MS = 5_000;
/** Time before anything is measured, in which compilers, caches and connection pools settle. */
const WARM_SECONDS = 10;

interface Stack {
  readonly url: string;
  readonly directory: string;
  readonly server: Program;
  readonly agent: Program;
  readonly serverReadyMs: number;
  readonly agentFirstJobMs: number;
}

interface Peers {
  readonly targetUrl: string;
  readonly koaUrl: string;
  readonly targetPid: number;
  stop(): void;
}

/** Measures the main road and what the two programs cost. */
export async function benchMainRoad({ rounds, isDryRun }: { rounds: number; isDryRun: boolean }): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-bench-'));
  const stops: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    const peers = await startPeers();
    stops.push(() => peers.stop());
    const stack = await startStack(directory, peers, stops);
    say('idle for a while, then memory');
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const memory = {
      agent: memoryOf(stack.agent.pid),
      server: memoryOfAll([stack.server.pid]),
      database: memoryOfAll(processTree(stack.server.pid).slice(1)),
    };
    await warmUp(stack, peers);
    const latency = await measureLatency(stack, peers, rounds);
    const httpLoad = await measureThroughput(stack, peers, 'http', { target: peers.targetUrl }, rounds);
    const pingLoad = await measureThroughput(stack, peers, 'ping', onePing, rounds);
    const report = reportText({ stack, memory, latency, loads: { http: httpLoad, ping: pingLoad }, rounds });
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport('main-road', report);
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

async function startPeers(): Promise<Peers> {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'servers.js');
  const children: ChildProcess[] = [];
  const start = (name: string) =>
    new Promise<{ url: string; pid: number }>((resolve, reject) => {
      const child = fork(script, [name]);
      children.push(child);
      child.once('message', ({ port }: { port: number }) =>
        resolve({ url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0 }),
      );
      child.once('exit', () => reject(new Error(`${name} did not start`)));
    });
  const target = await start('target');
  const koa = await start('koa');
  const stop = () => children.forEach((child) => child.connected && child.disconnect());
  return { targetUrl: target.url, koaUrl: koa.url, targetPid: target.pid, stop };
}

async function startStack(directory: string, peers: Peers, stops: (() => unknown)[]): Promise<Stack> {
  const environment = {
    VANTAGE_DATA_DIR: join(directory, 'control-plane'),
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: ALLOWED,
    VANTAGE_LOG_LEVEL: 'warn',
    // counted as for any account, and never reached
    VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 1000000000, "node_tests_per_day": 1000000000}}',
  };
  say('creating the database');
  const email = 'bench@example.com';
  await runToEnd(controlScript, ['user', 'create', '--email', email, '--role', 'admin'], environment);
  const create = ['token', 'create', '--user', email, '--scopes', ADMINISTRATOR_SCOPES];
  const token = (await runToEnd(controlScript, create, environment)).trim();
  say('starting the control plane');
  const startedAt = performance.now();
  const server = new Program('serve', controlScript, ['serve'], { ...environment, VANTAGE_LOG_LEVEL: 'info' });
  stops.push(() => server.stop());
  const url = await server.waitForLine((line) =>
    line.includes('"ready"') ? (JSON.parse(line) as { url: string }).url : null,
  );
  const serverReadyMs = performance.now() - startedAt;
  const client = new ApiClient({ url, token });
  const { token: enrollment } = await client.call<{ token: string }>('POST', '/v1/nodes/enrollment-tokens', {});
  const state = ['--state-dir', join(directory, 'agent')];
  const agentEnvironment = { VANTAGE_ALLOW_TARGETS: ALLOWED, VANTAGE_LOG_LEVEL: 'warn' };
  await runToEnd(agentScript, ['enroll', '--url', url, '--token', '-', ...state], agentEnvironment, enrollment);
  say('starting the agent');
  const agentAt = performance.now();
  const agent = new Program('agent', agentScript, ['run', ...state], agentEnvironment);
  stops.push(() => agent.stop());
  await firstProbe(url, peers.targetUrl);
  return { url, directory, server, agent, serverReadyMs, agentFirstJobMs: performance.now() - agentAt };
}

/** Retries until a node takes the job and succeeds. */
async function firstProbe(url: string, target: string): Promise<void> {
  const load = new LoadClient(url, 1);
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    try {
      await load.probe('http', { target });
      return await load.close();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  throw new Error('no probe succeeded within 30 s');
}

/** Requests both types of probes like the measurements, without counting. */
async function warmUp({ url }: Stack, { targetUrl }: Peers): Promise<void> {
  say(`warming up for ${WARM_SECONDS} s`);
  const api = new LoadClient(url, IN_FLIGHT);
  let asked = 0;
  await closedLoop(
    () => (asked++ % 2 === 0 ? api.probe('http', { target: targetUrl }) : api.probe('ping', onePing)),
    IN_FLIGHT,
    WARM_SECONDS,
  );
  await api.close();
}

interface Latency {
  readonly road: { readonly p50: Figure; readonly p95: Figure };
  readonly ping: { readonly p50: Figure; readonly p95: Figure };
  readonly bareGet: Figure;
  readonly koa: Figure;
  readonly commit: Figure;
}

/** One probe at a time, and its parts by themselves, in turns so that all see the same machine. */
async function measureLatency(stack: Stack, peers: Peers, rounds: number): Promise<Latency> {
  const api = new LoadClient(stack.url, 1);
  const koa = new LoadClient(peers.koaUrl, 1);
  const { url } = (await readRunningFile(join(stack.directory, 'control-plane'))) ?? { url: '' };
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query('CREATE TABLE IF NOT EXISTS bench_commit (id bigint GENERATED ALWAYS AS IDENTITY, body text)');
  const all = {
    road: [] as Load[],
    ping: [] as Load[],
    get: [] as number[],
    koa: [] as number[],
    commit: [] as number[],
  };
  for (let round = 0; round < rounds; round += 1) {
    say(`latency, round ${round + 1} of ${rounds}`);
    all.get.push((await closedLoop(() => bareGet(peers.targetUrl), 1, 1)).p50);
    all.koa.push((await closedLoop(() => koa.get('/'), 1, 1)).p50);
    const insert = { name: 'bench', text: 'INSERT INTO bench_commit (body) VALUES ($1)', values: ['x'.repeat(500)] };
    all.commit.push((await closedLoop(async () => void (await database.query(insert)), 1, 1)).p50);
    all.road.push(await closedLoop(() => api.probe('http', { target: peers.targetUrl }), 1, SECONDS));
    all.ping.push(await closedLoop(() => api.probe('ping', onePing), 1, SECONDS));
  }
  await database.query('DROP TABLE bench_commit');
  await database.end();
  await api.close();
  await koa.close();
  const of = (loads: Load[]) => ({
    p50: figureOf(loads.map(({ p50 }) => p50)),
    p95: figureOf(loads.map(({ p95 }) => p95)),
  });
  return {
    road: of(all.road),
    ping: of(all.ping),
    bareGet: figureOf(all.get),
    koa: figureOf(all.koa),
    commit: figureOf(all.commit),
  };
}

interface Throughput {
  readonly perSecond: Figure;
  readonly p50: Figure;
  /** Percent of one core each. */
  readonly cpu: Readonly<Record<'control plane' | 'PostgreSQL' | 'agent' | 'target' | 'load generator', number>>;
  readonly idlePercent: number;
}

async function measureThroughput(
  stack: Stack,
  peers: Peers,
  type: string,
  body: object,
  rounds: number,
): Promise<Throughput> {
  const api = new LoadClient(stack.url, IN_FLIGHT);
  const loads: Load[] = [];
  const postgresPid = await postmasterPid(join(stack.directory, 'control-plane'));
  const pids = {
    'control plane': stack.server.pid,
    PostgreSQL: postgresPid,
    agent: stack.agent.pid,
    target: peers.targetPid,
  };
  const before = Object.entries(pids).map(([name, pid]) => [name, cpuSecondsOf(pid)] as const);
  const own = process.cpuUsage();
  const machine = machineCpu();
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    say(`${type}, ${IN_FLIGHT} in flight, round ${round + 1} of ${rounds}`);
    loads.push(await closedLoop(() => api.probe(type, body), IN_FLIGHT, SECONDS));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const machineAfter = machineCpu();
  const percent = (cpuSeconds: number) => (100 * cpuSeconds) / seconds;
  const spent = before.map(
    ([name, cpu]) => [name, percent(cpuSecondsOf(pids[name as keyof typeof pids]) - cpu)] as const,
  );
  const { user, system } = process.cpuUsage(own);
  await api.close();
  return {
    perSecond: figureOf(loads.map(({ perSecond }) => perSecond)),
    p50: figureOf(loads.map(({ p50 }) => p50)),
    cpu: { ...Object.fromEntries(spent), 'load generator': percent((user + system) / 1e6) } as Throughput['cpu'],
    idlePercent: (100 * (machineAfter.idle - machine.idle)) / (machineAfter.total - machine.total),
  };
}

async function postmasterPid(dataDir: string): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

function reportText(measured: {
  stack: Stack;
  memory: Record<'agent' | 'server' | 'database', ReturnType<typeof memoryOf>>;
  latency: Latency;
  loads: Record<'http' | 'ping', Throughput>;
  rounds: number;
}): string {
  const { stack, memory, latency, loads, rounds } = measured;
  const parts = latency.bareGet.median + 2 * latency.koa.median + 2 * latency.commit.median;
  const ratio = latency.road.p50.median / parts;
  const cpu = ({ cpu: spent, idlePercent }: Throughput) =>
    `${Object.entries(spent)
      .map(([name, percent]) => `${name} ${percent.toFixed(0)} %`)
      .join(', ')} of a core; machine idle ${idlePercent.toFixed(0)} %`;
  return `## main-road

${machineText()}; ${rounds} rounds of ${SECONDS} s after ${WARM_SECONDS} s of warm-up, and 1 s before each; one agent, one control plane with embedded PostgreSQL (fsync on),
target and load generator on the same cores.

### One probe at a time: POST, then GET with ?wait=30

${tableText(
  ['measured', 'ms'],
  [
    ['http probe, p50', figureText(latency.road.p50)],
    ['http probe, p95', figureText(latency.road.p95)],
    ['ping probe (1 packet), p50', figureText(latency.ping.p50)],
    ['ping probe (1 packet), p95', figureText(latency.ping.p95)],
    ['baseline: bare GET of the target on a fresh connection, p50', figureText(latency.bareGet)],
    ['baseline: bare Koa round trip, p50', figureText(latency.koa)],
    ['baseline: single-row commit, p50', figureText(latency.commit)],
    ['baseline sum: one GET, two Koa round trips, two commits', parts.toFixed(2)],
    ['http probe p50 / baseline sum', `${ratio.toFixed(2)} (goal: at most 2)`],
  ],
)}

### ${IN_FLIGHT} in flight

${tableText(
  ['type', 'probes/s', 'p50 ms', 'where the time goes'],
  [
    ['http', figureText(loads.http.perSecond, 0), figureText(loads.http.p50, 1), cpu(loads.http)],
    ['ping', figureText(loads.ping.perSecond, 0), figureText(loads.ping.p50, 1), cpu(loads.ping)],
  ],
)}

### What the programs cost

${tableText(
  ['figure', 'value', 'goal'],
  [
    [
      'agent, idle, all its processes, RSS',
      `${memory.agent.rssMb.toFixed(0)} MB (PSS ${memory.agent.pssMb.toFixed(0)} MB)`,
      '100 MB',
    ],
    ['agent, start to first job done', `${stack.agentFirstJobMs.toFixed(0)} ms`, '1000 ms'],
    ['control plane, idle, its one process, RSS', `${memory.server.rssMb.toFixed(0)} MB`, ''],
    [
      'embedded PostgreSQL and its guardian, RSS',
      `${memory.database.rssMb.toFixed(0)} MB (PSS ${memory.database.pssMb.toFixed(0)} MB)`,
      '',
    ],
    ['control plane, start to ready, database started too', `${stack.serverReadyMs.toFixed(0)} ms`, ''],
  ],
)}
`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
