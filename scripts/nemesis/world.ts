import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { delay, systemClock } from '@vantage/shared/clock.js';
import { ADMINISTRATOR_SCOPES } from '../administrator-scopes.js';
import { runToEnd } from '../demo/program.js';
import type { SeededRandom } from '../seeded-random.js';
import { AgentUnit, agentAddress } from './agent-unit.js';
import { type Answer, Api } from './api.js';
import { Line } from './line.js';
import { witnessLink } from './link-witness.js';
import { PostgresServer } from './postgres-server.js';
import type { Recorder } from './recorder.js';
import { controlScript, ReplicaUnit } from './replica-unit.js';
import { ToxicProxy, type Way } from './toxic-proxy.js';

// Connections, each arrow a line with faults:
//
//   agent 1..n ──> balancer ──any replica──> replica 1..m ──proxy of its own──> PostgreSQL
//   clients ───────────────────────────────> replica 1..m

const START_MS = 240_000;

/** All processes, and the lines between them. */
export interface World {
  readonly agents: readonly AgentUnit[];
  readonly replicas: readonly ReplicaUnit[];
  readonly database: PostgresServer;
  readonly balancer: ToxicProxy;
  readonly api: Api;
  readonly recorder: Recorder;
  /** URL of the control plane as the world knows it: through the balancer. */
  readonly publicUrl: string;
  /** Texts that must appear nowhere; the creator of a secret adds it. */
  readonly secrets: string[];
  /** The API's answer at whichever replica has one within `timeoutMs`; null when none has. */
  ask(call: Parameters<Api['call']>[1], timeoutMs?: number): ReturnType<Api['call']>;
}

export interface WorldOptions {
  /** Directory for all output; logs are in `logs` in it. */
  readonly directory: string;
  readonly agents: number;
  readonly replicas: number;
  readonly recorder: Recorder;
  readonly random: SeededRandom;
  /** Directory of PostgreSQL; default: in `directory`. */
  readonly databaseDirectory?: string;
  /** Each spool on a small file system of its own, which can be full; needs root. */
  readonly hasSpoolDisks?: boolean;
  /** Settings of the control planes, in addition to the others. */
  readonly environment?: Readonly<Record<string, string>>;
  /** PostgreSQL settings over those of production. */
  readonly databaseSettings?: Readonly<Record<string, string>>;
}

/** Ends what was started, the last first. */
export type CleanUps = (() => Promise<unknown>)[];

/** Builds and starts all of it; what was started is in `cleanUps`, also when a later part fails. */
export async function buildWorld(options: WorldOptions, cleanUps: CleanUps): Promise<World> {
  const { directory, recorder, random } = options;
  const logFile = (name: string) => join(directory, 'logs', `${name}.log`);
  mkdirSync(join(directory, 'logs'), { recursive: true });
  const database = await startDatabase(options, cleanUps);
  const agentLines = makeLines(options);
  let turn = 0;
  const replicas: ReplicaUnit[] = [];
  const balancer = await ToxicProxy.start({
    clock: systemClock,
    random: () => random.next(),
    port: await lastingPort(),
    tap: () => witnessLink(recorder),
    waysFrom: (address) => waysOf(agentLines.get(address), replicas, turn++),
  });
  cleanUps.push(() => balancer.stop());
  const publicUrl = `http://127.0.0.1:${balancer.port}`;
  const secretKey = randomBytes(32).toString('base64');
  for (let index = 0; index < options.replicas; index++) {
    replicas.push(await makeReplica({ index, options, database, publicUrl, secretKey, logFile }, cleanUps));
  }
  const environment = replicas[0]?.environment ?? {};
  for (const { unit } of replicas) unit.start();
  await allReady(replicas);
  const token = await makeAdmin(environment);
  const api = new Api(token);
  cleanUps.push(() => api.close());
  const ask: World['ask'] = (call, timeoutMs = 120_000) => askAnyone(api, replicas, call, timeoutMs);
  const agents = [...agentLines.values()].map((lines, index) => {
    const name = `agent-${index + 1}`;
    const stateDir = join(directory, name);
    return new AgentUnit({ index, stateDir, logFile: logFile(name), url: publicUrl, lines, recorder });
  });
  if (options.hasSpoolDisks) for (const agent of agents) cleanUps.push(agent.mountSpoolDisk());
  const tokens = await Promise.all(agents.map((agent) => enroll(agent, ask)));
  for (const { unit } of agents) {
    cleanUps.push(() => unit.retire());
    unit.start();
  }
  const secrets = [secretKey, token, database.password, ...tokens];
  const world = { agents, replicas, database, balancer, api, recorder, ask, publicUrl, secrets };
  await allOnline(world, START_MS);
  return world;
}

/** Agents that are expected online, and how to ask the control plane. */
interface Nodes {
  readonly agents: readonly Pick<AgentUnit, 'nodeId' | 'isLinked'>[];
  readonly ask: World['ask'];
}

/** Waits until every node is online for the control plane, and for its agent. @throws Error when that takes longer */
export async function allOnline({ agents, ask }: Nodes, deadlineMs: number): Promise<void> {
  await waitFor('all agents to be online', deadlineMs, async () => {
    const answer = await ask({ path: '/v1/nodes?status=online&page_size=100' }, 1_000);
    const { items } = (answer?.data ?? { items: [] }) as { items: { id: string }[] };
    const online = new Set(items.map(({ id }) => id));
    return agents.every(({ nodeId, isLinked }) => isLinked && online.has(nodeId));
  });
}

/** Polls every 100 ms. @throws Error naming `what` */
export async function waitFor(what: string, deadlineMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await isSo())) {
    if (performance.now() > deadline)
      throw new Error(`waited ${Math.round(deadlineMs / 1_000)} s for ${what}, without success`);
    await delay(systemClock, 100);
  }
}

async function startDatabase(options: WorldOptions, cleanUps: CleanUps): Promise<PostgresServer> {
  const { directory, databaseSettings = {}, databaseDirectory: dataDir = join(directory, 'database') } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = join(directory, 'logs', 'postgresql.log');
  const onLine = (line: string) => appendFileSync(log, `${new Date().toISOString()} ${line}\n`);
  const database = await PostgresServer.start({ dataDir, settings: databaseSettings, onLine });
  cleanUps.push(() => database.stop());
  return database;
}

function makeLines({ agents, replicas }: WorldOptions): Map<string, Line[]> {
  const of = (agent: number) =>
    Array.from({ length: replicas }, (_, replica) => new Line(`agent-${agent + 1} to replica-${replica + 1}`));
  return new Map(Array.from({ length: agents }, (_, index) => [agentAddress(index), of(index)]));
}

/** Each new connection begins at the next replica, as a balancer's do. Commands have no lines: theirs are always good. */
function waysOf(lines: readonly Line[] | undefined, replicas: readonly ReplicaUnit[], turn: number): Way[] {
  const all = replicas.map(({ port }, index) => ({
    to: { port, host: '127.0.0.1' },
    line: lines?.[index] ?? new Line('command'),
  }));
  const start = turn % Math.max(1, all.length);
  return [...all.slice(start), ...all.slice(0, start)];
}

interface ReplicaParts {
  readonly index: number;
  readonly options: WorldOptions;
  readonly database: PostgresServer;
  readonly publicUrl: string;
  readonly secretKey: string;
  readonly logFile: (name: string) => string;
}

async function makeReplica(
  { index, options, database, publicUrl, secretKey, logFile }: ReplicaParts,
  cleanUps: CleanUps,
) {
  const line = new Line(`replica-${index + 1} to PostgreSQL`);
  const proxy = await ToxicProxy.start({
    clock: systemClock,
    random: () => options.random.next(),
    waysFrom: () => [{ to: { path: database.socketPath }, line }],
  });
  cleanUps.push(() => proxy.stop());
  const replica = new ReplicaUnit({
    index,
    dataDir: join(options.directory, `replica-${index + 1}`),
    logFile: logFile(`replica-${index + 1}`),
    port: await lastingPort(),
    environment: {
      VANTAGE_DATABASE_URL: database.urlAt(proxy.port),
      VANTAGE_SECRET_KEY: secretKey,
      VANTAGE_PUBLIC_URL: publicUrl,
      ...options.environment,
    },
    line,
    recorder: options.recorder,
  });
  cleanUps.push(() => replica.unit.retire());
  return replica;
}

async function allReady(replicas: readonly ReplicaUnit[]): Promise<void> {
  await waitFor('all replicas to be ready', START_MS, () => replicas.every(({ isReady }) => isReady)).catch(
    (error: Error) => {
      const late = replicas.filter(({ isReady }) => !isReady);
      const lastLines = late.map(({ name, unit }) => `${name} said last: ${unit.lastLine ?? 'nothing'}`);
      throw new Error([error.message, ...lastLines].join('\n'));
    },
  );
}

async function makeAdmin(environment: Readonly<Record<string, string>>): Promise<string> {
  const email = 'admin@nemesis.example';
  await runToEnd(controlScript, ['user', 'create', '--email', email, '--role', 'admin'], environment);
  const create = ['token', 'create', '--user', email, '--scopes', ADMINISTRATOR_SCOPES];
  return (await runToEnd(controlScript, create, environment)).trim();
}

async function enroll(agent: AgentUnit, ask: World['ask']): Promise<string> {
  const answer = await ask({ method: 'POST', path: '/v1/nodes/enrollment-tokens', body: { label: agent.name } });
  if (answer?.status !== 201) throw new Error(`no enrollment token for ${agent.name}: ${answer?.code ?? 'no answer'}`);
  const { token } = answer.data as { token: string };
  await agent.enroll(token);
  return token;
}

async function askAnyone(
  api: Api,
  replicas: readonly ReplicaUnit[],
  call: Parameters<Api['call']>[1],
  timeoutMs: number,
): ReturnType<Api['call']> {
  const deadline = performance.now() + timeoutMs;
  do {
    for (const { url } of replicas.filter(({ isReady }) => isReady)) {
      const answer = await api.call(url, { timeoutMs: 5_000, ...call });
      if (answer !== null && answer.code !== 'UNAVAILABLE' && !isStillRunning(answer)) return answer;
    }
    await delay(systemClock, 200);
  } while (performance.now() < deadline);
  return null;
}

/** True if an earlier attempt, whose response did not arrive in time, has not ended yet. */
function isStillRunning({ code, details }: Answer): boolean {
  return code === 'CONFLICT' && typeof details === 'object' && details !== null && 'idempotency-key' in details;
}
