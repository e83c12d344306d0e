import type { Services } from './http/route.js';
import { StoredResponses } from './idempotency/index.js';
import { endsWithin, STOP_MS } from './runtime/ends-within.js';
import { listening } from './runtime/listen-error.js';
import type { Startable } from './runtime/startable.js';
import { Stops } from './runtime/stops.js';
import { wireAgents } from './wiring/agents.js';
import { wireApi } from './wiring/api.js';
import { wireAuthentication } from './wiring/authentication.js';
import { wireJobs, wireUpkeep } from './wiring/background.js';
import { wireEvents } from './wiring/events.js';
import { type Foundation, type Given, layFoundation } from './wiring/foundation.js';
import { wireHouse } from './wiring/house.js';
import { startMetrics } from './wiring/metrics-listener.js';
import { modules } from './wiring/modules.js';
import { openModules } from './wiring/open-modules.js';
import { wirePost } from './wiring/post.js';
import { wireDrain, wireReplicas } from './wiring/replicas.js';

export interface ControlPlaneOptions extends Given {
  /** True in tests: undeclared replies and errors of the API fail. */
  readonly isStrict?: boolean;
}

/** A running control plane. */
export interface ControlPlane {
  /** Address where users and agents reach it. */
  readonly publicUrl: string;
  /** Address where this process listens; behind a balancer it differs from the public one. */
  readonly listenUrl: string;
  readonly replicaId: string;
  /** Address of /metrics; null if it is off. */
  readonly metricsUrl: string | null;
  readonly services: Services;
  /** Resolves with the reason if the embedded database is lost for good; otherwise never. */
  readonly lost: Promise<Error>;
  /** Builds the document of the API, while requests are served. */
  describe(): Promise<unknown>;
  /**
   * Sends agents and balancers to other replicas, if there are any, for as long as the settings say. Call `stop`
   * afterwards.
   */
  drain(): Promise<void>;
  /** Ends links, requests and the database in order. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Builds and starts every part; if a part fails, those already started are stopped in reverse order.
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
  const { services, drain, reference } = parts;
  stops.push(() => drain.stop());
  const ports = { publicUrl, listenUrl, replicaId, metricsUrl, services };
  return { ...ports, lost: storage.lost, describe: () => reference.prepare(), drain: () => drain.run() };
}

function wire(foundation: Foundation, isStrict: boolean) {
  const { db, secretKey, clock, log } = foundation;
  const replicas = wireReplicas(foundation);
  const { mail, mailer } = wirePost(foundation);
  const { authentication, take } = wireAuthentication(foundation, replicas);
  const serverPublicKey = foundation.identity.publicKey.toString('base64');
  const house = wireHouse({ ...foundation, ...replicas, serverPublicKey, mail, mailer, authentication });
  const opened = openModules(modules, house);
  take(opened.credentials);
  const agents = wireAgents(foundation, house, opened);
  const idempotency = new StoredResponses({ db, secretKey, clock, log: log.child({ part: 'idempotency' }) });
  const jobs = wireJobs(foundation, opened, mailer);
  const isDraining = () => drain.isDraining;
  const [{ services }, { limiter }, { linkServer }, { geo }] = [opened, replicas, agents, house];
  const { http, reference } = wireApi(foundation, {
    services,
    authentication,
    limiter,
    idempotency,
    linkServer,
    geo,
    isDraining,
    isStrict,
  });
  const drain = wireDrain(foundation, { replicas, linkServer, http, streams: services.stream });
  const events = wireEvents(foundation, { bus: replicas.bus, consumers: opened.on });
  const upkeep = wireUpkeep(foundation, opened, { idempotency, events });
  return { replicas, house, opened, agents, events, services, jobs, http, reference, upkeep, drain };
}

/** Starts all parts, dependencies first. @returns the address of the metrics */
async function start(foundation: Foundation, parts: ReturnType<typeof wire>, stops: Stops): Promise<string | null> {
  const { replicas, house, opened, agents, events, services, jobs, http, upkeep } = parts;
  const { lease, bus, directory, windows, limiter } = replicas;
  stops.push(() => windows.drain());
  stops.push(() => limiter.returnQuotas());
  stops.push(() => house.outbound.stop());
  await run(house.lists, stops);
  await run(house.geo, stops);
  await run(lease, stops);
  await run(bus, stops);
  lease.announce(bus);
  await run(directory, stops);
  // events from here on get the marks of every consumer
  await run(events, stops);
  for (const part of opened.startables) await run(part, stops);
  await run(agents.upgradeDeadlines, stops);
  stops.push(() => agents.ingest.drain());
  await run(upkeep, stops);
  await run(jobs, stops);
  const metricsUrl = await startMetrics(foundation, stops);
  await listening(http.start(), foundation.listen, 'VANTAGE_LISTEN');
  stops.push(() => http.stop());
  stops.push(() => services.stream.end());
  stops.push(() => agents.linkServer.stop());
  await run(agents.vitals, stops);
  return metricsUrl;
}

async function run(part: Startable, stops: Stops): Promise<void> {
  await part.start();
  stops.push(() => part.stop());
}
