import { readFileSync } from 'node:fs';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { SpeedtestEndpoint } from '@vantage/shared/speedtest/endpoint.js';
import type { Logger } from 'pino';
import { Authentication, EVERYBODY } from './authentication/index.js';
import { PostgresBus } from './bus/postgres-bus.js';
import type { Config } from './config.js';
import { checkDatabase } from './db/database.js';
import { migrate } from './db/migrate.js';
import { dropPartitions, ensurePartitions } from './db/partitions.js';
import { clientAddress, parseTrustedProxies } from './http/client-address.js';
import { ApiError } from './http/errors.js';
import { healthRoutes } from './http/health.js';
import { createRegistry, HttpMetrics } from './http/metrics.js';
import { MetricsServer } from './http/metrics-server.js';
import { referenceRoutes } from './http/reference.js';
import { refuseSocket } from './http/refuse-socket.js';
import { reservePort } from './http/reserve-port.js';
import type { Services } from './http/route.js';
import { HttpServer } from './http/server.js';
import { StoredResponses } from './idempotency/index.js';
import { Ingest } from './ingest/index.js';
import { JobCounts } from './jobs/job-counts.js';
import { jobTypes } from './jobs/job-types.js';
import { Jobs } from './jobs/jobs.js';
import { deleteEndedWindows, SharedWindows, WindowLimiter } from './limits/index.js';
import { followDirectory, LINK_GRACE_MS, LinkServer, LinkStore, LinkTable, loadServerIdentity } from './links/index.js';
import { ListenError } from './listen-error.js';
import { openMail } from './mail/index.js';
import { Metrics } from './metrics.js';
import { openAccounts } from './modules/accounts/index.js';
import { Audit } from './modules/audit/index.js';
import { QueuedJobs } from './modules/jobs/index.js';
import { Enrollment, NodeDirectory, Nodes } from './modules/nodes/index.js';
import { Dispatch, deleteFullBuckets, Probes, RecentTasks, TaskReader, Waiters } from './modules/probes/index.js';
import { Tokens } from './modules/tokens/index.js';
import { ReplicaLease } from './replicas/replica-lease.js';
import { routes } from './routes.js';
import { loadSecretKey } from './secret-key.js';
import { type ListenAddress, listenOrigin } from './setting-values.js';
import { defaultMetricsListen } from './settings.js';
import { openPool, openStorage } from './storage.js';
import { TargetLists } from './target-lists.js';
import { Upkeep } from './upkeep.js';
import { version } from './version.js';

// requests and agents don't wait for one another's connections: a flood of the one must not cut the links of the other
const POOL_SIZES = { requests: 12, agents: 8, limits: 2 };
const MAX_WAITING_REQUESTS = 500;
const HEARTBEAT_MS = 15_000;
const BUSY_HEARTBEAT_MS = 1_000;

export interface ControlPlaneOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Tests: undeclared replies and errors of the API fail. */
  readonly isStrict?: boolean;
  /** A directory around the data directory, removed when the embedded database has stopped. */
  readonly ephemeral?: string;
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
  /** Ends links, requests and the database in order. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Builds every part and starts it; what was started is stopped again, in reverse, when a later part fails.
 * @throws DataDirectoryInUseError, EmbeddedPostgresError, NewerDatabaseError, SecretKeyFileError, WrongSecretKeyError,
 * DenyListError, ListenError
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const stops: (() => void | Promise<void>)[] = [];
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= unwind(stops, options.log);
    return stopped;
  };
  try {
    return { ...(await wire(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function wire(
  options: ControlPlaneOptions,
  stops: (() => void | Promise<void>)[],
): Promise<Omit<ControlPlane, 'stop'>> {
  const { config, clock, log, ephemeral } = options;
  const replicaId = newId(idPrefixes.replica);

  const storage = await openStorage({
    config,
    log,
    mode: 'own',
    poolSize: POOL_SIZES.requests,
    maxWaiting: MAX_WAITING_REQUESTS,
    ...(ephemeral === undefined ? {} : { ephemeral }),
  });
  const { db } = storage;
  stops.push(() => storage.close());
  const agentsDb = openPool({
    url: storage.url,
    poolSize: POOL_SIZES.agents,
    applicationName: 'vantage-control agents',
  });
  stops.push(() => agentsDb.destroy());
  const limitsDb = openPool({
    url: storage.url,
    poolSize: POOL_SIZES.limits,
    applicationName: 'vantage-control limits',
    // a few units lost in a crash cost less than every request waiting for the disk
    settings: { synchronous_commit: 'off', statement_timeout: '1s' },
  });
  stops.push(() => limitsDb.destroy());
  await migrate(db, log);
  await ensurePartitions(db, clock.now());
  const secretKey = await loadSecretKey(config.secretKey, config.dataDir);
  const identity = await loadServerIdentity(db, secretKey);

  const listen = await listening(reservePort(config.listen), config.listen, 'VANTAGE_LISTEN');
  const scheme = config.tlsCert === null ? 'http' : 'https';
  const publicUrl = config.publicUrl ?? listenOrigin(listen, scheme);

  const registry = createRegistry();
  const metrics = new Metrics(registry);

  const lease: ReplicaLease = new ReplicaLease({
    db: agentsDb,
    replicaId,
    isAlone: storage.isOwned,
    graceMs: LINK_GRACE_MS.replicaGone,
    clock,
    log: log.child({ part: 'replicas' }),
    onUnlinked: (ids) => directory.announce(ids),
  });
  const windows = new SharedWindows({
    db: limitsDb,
    hasOthers: () => lease.hasOthers,
    clock,
    log: log.child({ part: 'limits' }),
    metrics,
  });
  stops.push(() => windows.drain());
  const limiter = new WindowLimiter(windows, clock);
  const bus = new PostgresBus({
    url: storage.url,
    replicaId,
    isListening: true,
    hasOthers: () => lease.hasOthers,
    log: log.child({ part: 'bus' }),
    clock,
  });
  const directory = new NodeDirectory({ db: agentsDb, bus, clock, log: log.child({ part: 'nodes' }) });

  const links = new LinkTable();
  metrics.watchLinks(links);
  const lists = new TargetLists({
    allow: config.allowTargets,
    denyFile: config.denyTargetsFile,
    clock,
    log: log.child({ part: 'targets' }),
    onChange: () => {
      for (const session of links.all()) session.sendConfig();
    },
  });
  const waiters = new Waiters();
  const ingest = new Ingest({ db: agentsDb, clock, log: log.child({ part: 'ingest' }), metrics });
  const recent = new RecentTasks(clock);
  ingest.onFinished((results) => {
    recent.finish(results);
    const taskIds = [...new Set(results.map(({ requestId }) => requestId))];
    waiters.wake(taskIds);
    bus.broadcast({ type: 'finished', ids: taskIds });
  });
  bus.onMessage((message) => {
    if (message.type !== 'finished') return;
    recent.forget(message.ids);
    waiters.wake(message.ids);
  });
  const readKeys = () =>
    void people.signingKeys.reload().catch((err: unknown) => log.warn({ err }, 'signing keys not read'));
  bus.onMessage((message) => {
    if (message.type !== 'credentials' || !message.ids.includes(EVERYBODY)) return;
    readKeys();
  });
  bus.onResync(readKeys);
  const dispatch = new Dispatch({
    db: agentsDb,
    replicaId,
    directory,
    links,
    bus,
    waiters,
    recent,
    metrics,
    clock,
    log: log.child({ part: 'dispatch' }),
  });
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const linkServer = new LinkServer({
    store: new LinkStore({ db: agentsDb, replicaId, announce: (ids) => directory.announce(ids) }),
    identity,
    audience: publicUrl,
    table: links,
    directory,
    ingest,
    work: dispatch,
    addressOf: (request) => clientAddress(request, trustedProxies),
    config: () => ({
      heartbeatMs: HEARTBEAT_MS,
      busyHeartbeatMs: BUSY_HEARTBEAT_MS,
      ownAddresses: lists.policy.lists.own,
      denied: lists.policy.lists.denied,
      canaries: config.canaryTargets,
    }),
    clock,
    log: log.child({ part: 'links' }),
  });
  followDirectory(directory, links);

  const { mail, mailer, directory: mailDirectory } = openMail({ config, secretKey, publicUrl, clock });
  if (mailDirectory !== null) log.info({ directory: mailDirectory }, 'no VANTAGE_SMTP_URL: mails are written to files');
  const people = openAccounts({
    db,
    clock,
    log: log.child({ part: 'accounts' }),
    publicUrl,
    secretKey,
    isRegistrationOpen: config.isRegistrationOpen,
    needsVerifiedEmail: config.needsVerifiedEmail,
    mail,
    revoked: (userId) => authentication.revoked(userId),
    keysChanged: () => authentication.revokedAll(),
    releaseNodes: (trx, userId, actor) => nodes.release(trx, userId, actor),
  });
  const tokens = new Tokens({ db, clock, authentication: { revoked: (userId) => authentication.revoked(userId) } });
  const authentication = new Authentication({
    sources: [people.sessions, ...tokens.sources],
    bus,
    clock,
    log: log.child({ part: 'authentication' }),
    needsVerifiedEmail: config.needsVerifiedEmail,
  });
  const nodes = new Nodes({
    db,
    directory,
    enrollment: new Enrollment({ db, clock, audience: publicUrl }),
    serverPublicKey: identity.publicKey.toString('base64'),
    publicUrl,
    heartbeatMs: HEARTBEAT_MS,
  });
  const services: Services = {
    ...people,
    audit: new Audit(db, clock),
    jobs: new QueuedJobs(db, clock),
    nodes,
    plans: config.plans,
    probes: new Probes({
      db,
      clock,
      directory,
      dispatch,
      recent,
      reader: new TaskReader({ db, waiters, recent, clock }),
      policy: () => lists.policy,
      limiter,
      plans: config.plans,
      metrics,
    }),
    tokens,
    site: { version, publicUrl, abuseContact: config.abuseContact },
  };
  const idempotency = new StoredResponses({ db, secretKey, clock, log: log.child({ part: 'idempotency' }) });
  const jobs = new Jobs({
    url: storage.url,
    db,
    replicaId,
    types: jobTypes,
    services: { mailer, recovery: people.recovery },
    clock,
    log: log.child({ part: 'jobs' }),
  });
  const jobCounts = new JobCounts(db, clock);
  metrics.watchJobs(() => jobCounts.read());
  const isDatabaseThere = { name: 'database', check: () => checkDatabase(db) };
  const http = new HttpServer({
    host: listen.host ?? '::',
    port: listen.port,
    ...(config.tlsCert !== null && config.tlsKey !== null
      ? { tls: { cert: readFileSync(config.tlsCert, 'utf8'), key: readFileSync(config.tlsKey, 'utf8') } }
      : {}),
    ...(config.servesSpeedtests ? { speedtest: new SpeedtestEndpoint(clock) } : {}),
    routes: [
      ...routes,
      ...referenceRoutes(routes, { publicUrl, version }),
      ...healthRoutes([isDatabaseThere], clock, log),
    ],
    services,
    authenticator: authentication,
    limiter,
    plans: config.plans,
    idempotency,
    log: log.child({ part: 'http' }),
    clock,
    publicUrl,
    trustedProxies: config.trustedProxies,
    isStrict: options.isStrict ?? false,
    metrics: new HttpMetrics(registry),
  });
  http.server.on('upgrade', (request, socket, head) => {
    if (!linkServer.handleUpgrade(request, socket, head)) {
      refuseSocket(socket, new ApiError('NOT_FOUND'), { publicUrl, clock });
    }
  });
  const upkeep = new Upkeep({
    clock,
    log: log.child({ part: 'upkeep' }),
    tasks: [
      async () => void (await ensurePartitions(db, clock.now())),
      async () => void (await dropPartitions(db, clock.now())),
      () => deleteFullBuckets(db),
      () => deleteEndedWindows(db, clock.now()),
      ...people.upkeep,
      () => idempotency.deleteForgotten(),
      ...[tokens, services.audit, services.jobs].map((part) => () => part.deleteOutdated()),
    ],
  });

  await people.signingKeys.start();
  stops.push(() => people.signingKeys.stop());
  await lists.start();
  stops.push(() => lists.stop());
  await lease.start();
  stops.push(() => lease.stop());
  await bus.start();
  stops.push(() => bus.stop());
  lease.announce(bus);
  await directory.start();
  stops.push(() => directory.stop());
  dispatch.start();
  stops.push(() => dispatch.stop());
  stops.push(() => ingest.drain());
  upkeep.start();
  stops.push(() => upkeep.stop());
  jobs.start();
  stops.push(() => jobs.stop());
  const metricsUrl = await startMetrics(config, registry, log, stops);
  await listening(http.start(), listen, 'VANTAGE_LISTEN');
  stops.push(() => http.stop());
  stops.push(() => linkServer.stop());
  return { publicUrl, listenUrl: listenOrigin(listen, scheme), replicaId, metricsUrl, services, lost: storage.lost };
}

/** Metrics on their default port are a convenience: a second server on the machine goes on without. */
async function startMetrics(
  config: Config,
  registry: ReturnType<typeof createRegistry>,
  log: Logger,
  stops: (() => void | Promise<void>)[],
): Promise<string | null> {
  const { metricsListen } = config;
  if (metricsListen === null) return null;
  const server = new MetricsServer({ registry, host: metricsListen.host ?? '::', port: metricsListen.port, log });
  try {
    const { port } = await listening(server.start(), metricsListen, 'VANTAGE_METRICS_LISTEN');
    stops.push(() => server.stop());
    return `${listenOrigin({ ...metricsListen, port }, 'http')}/metrics`;
  } catch (error) {
    const isTaken = error instanceof ListenError && error.code === 'EADDRINUSE';
    if (!isTaken || metricsListen !== defaultMetricsListen) throw error;
    log.warn({ port: metricsListen.port }, 'no metrics: their default port is in use; set VANTAGE_METRICS_LISTEN');
    return null;
  }
}

/** @throws ListenError when it fails */
async function listening<T>(start: Promise<T>, address: ListenAddress, setting: string): Promise<T> {
  try {
    return await start;
  } catch (cause) {
    throw new ListenError(address, setting, cause);
  }
}

async function unwind(stops: (() => void | Promise<void>)[], log: Logger): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      log.error({ err: error }, 'a part did not stop cleanly');
    }
  }
}
