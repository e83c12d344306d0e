import { endsWithin, STOP_MS } from './ends-within.js';
import type { Services } from './http/route.js';
import { StoredResponses } from './idempotency/index.js';
import { listening } from './listen-error.js';
import { Stops } from './stops.js';
import { wireAgents } from './wiring/agents.js';
import { wireApi } from './wiring/api.js';
import { wireJobs, wireUpkeep } from './wiring/background.js';
import { type Foundation, type Given, layFoundation } from './wiring/foundation.js';
import { wireHeartbeats } from './wiring/heartbeats.js';
import { startMetrics } from './wiring/metrics-listener.js';
import { wirePeople } from './wiring/people.js';
import { wirePost } from './wiring/post.js';
import { wireDrain, wireReplicas } from './wiring/replicas.js';
import { wireServices } from './wiring/services.js';

/** What a control plane is started with. */
export interface ControlPlaneOptions extends Given {
  /** Tests: undeclared replies and errors of the API fail. */
  readonly isStrict?: boolean;
}

/** A running control plane. */
export interface ControlPlane {
  /** Where users and agents reach it. */
  readonly publicUrl: string;
  /** Where this very process listens: behind a balancer not the public one. */
  readonly listenUrl: string;
  readonly replicaId: string;
  /** Where /metrics is served; null when it is off. */
  readonly metricsUrl: string | null;
  readonly services: Services;
  /** Resolves with why when the embedded database is gone for good; else never. */
  readonly lost: Promise<Error>;
  /** Where other replicas live: takes leave of agents and balancers, for as long as the settings say. Then stop it. */
  drain(): Promise<void>;
  /** Ends links, requests and the database in order. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Builds every part and starts it; what was started is stopped again, in reverse, when a later part fails.
 * @throws DataDirectoryInUseError, EmbeddedPostgresError, NewerDatabaseError, SecretKeyFileError, WrongSecretKeyError,
 * DenyListError, ListenError
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const stops = new Stops(options.log);
  try {
    return { ...(await buildAndStart(options, stops)), stop: () => stops.unwind() };
  } catch (error) {
    const unwound = stops.unwind();
    if (options.config.databaseUrl === null) await unwound;
    else await endsWithin(STOP_MS, unwound);
    throw error;
  }
}

async function buildAndStart(
  { isStrict = false, ...given }: ControlPlaneOptions,
  stops: Stops,
): Promise<Omit<ControlPlane, 'stop'>> {
  const foundation = await layFoundation(given, stops);
  const parts = wire(foundation, isStrict);
  const metricsUrl = await start(foundation, parts, stops);
  const { publicUrl, listenUrl, replicaId, storage } = foundation;
  const { services, drain } = parts;
  stops.push(() => drain.stop());
  const ports = { publicUrl, listenUrl, replicaId, metricsUrl, services };
  return { ...ports, lost: storage.lost, drain: () => drain.run() };
}

function wire(foundation: Foundation, isStrict: boolean) {
  const { db, secretKey, clock, log } = foundation;
  const replicas = wireReplicas(foundation);
  const { mail, mailer } = wirePost(foundation);
  const agents = wireAgents(foundation, replicas, mail);
  const people = wirePeople(foundation, replicas, { nodes: agents.nodes, mail });
  const heartbeats = wireHeartbeats(foundation, mail);
  const services = wireServices(foundation, replicas, { agents, people, heartbeats });
  const idempotency = new StoredResponses({ db, secretKey, clock, log: log.child({ part: 'idempotency' }) });
  const { limiter } = replicas;
  const { authentication } = people;
  const { linkServer } = agents;
  const jobs = wireJobs(foundation, people, mailer);
  const isDraining = () => drain.isDraining;
  const { geo } = agents;
  const doors = { services, authentication, limiter, idempotency, linkServer, geo, isDraining, isStrict };
  const http = wireApi(foundation, doors);
  const drain = wireDrain(foundation, { replicas, linkServer, http });
  const upkeep = wireUpkeep(foundation, { services, people, idempotency });
  return { replicas, agents, people, heartbeats, services, jobs, http, upkeep, drain };
}

/** Starts all parts, those first that others ask. @returns where metrics are served */
async function start(foundation: Foundation, parts: ReturnType<typeof wire>, stops: Stops): Promise<string | null> {
  const { replicas, agents, people, heartbeats, jobs, http, upkeep } = parts;
  const { lease, bus, directory, revocations, windows } = replicas;
  stops.push(() => windows.drain());
  await run(people.accounts.signingKeys, stops);
  await run(agents.lists, stops);
  await run(agents.geo, stops);
  await run(lease, stops);
  await run(bus, stops);
  lease.announce(bus);
  await run(directory, stops);
  await run(revocations, stops);
  await run(agents.upgradeDeadlines, stops);
  await run(agents.dispatch, stops);
  await run(agents.monitorWork.news, stops);
  await run(agents.monitorWork.asking, stops);
  await run(agents.monitorWork.judges, stops);
  await run(agents.monitorWork.windowTurns, stops);
  await run(agents.monitorWork.replacement, stops);
  await run(agents.monitorWork.lateResults, stops);
  await run(agents.monitorWork.rollups, stops);
  await run(heartbeats, stops);
  stops.push(() => agents.ingest.drain());
  await run(upkeep, stops);
  await run(jobs, stops);
  const metricsUrl = await startMetrics(foundation, stops);
  await listening(http.start(), foundation.listen, 'VANTAGE_LISTEN');
  stops.push(() => http.stop());
  stops.push(() => agents.linkServer.stop());
  await run(agents.vitals, stops);
  return metricsUrl;
}

interface Startable {
  start(): void | Promise<void>;
  stop(): void | Promise<void>;
}

async function run(part: Startable, stops: Stops): Promise<void> {
  await part.start();
  stops.push(() => part.stop());
}
