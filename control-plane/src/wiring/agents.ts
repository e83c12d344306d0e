import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { checkDatabase } from '../db/database.js';
import { GeoDatabases } from '../geo/index.js';
import { clientAddress, parseTrustedProxies } from '../http/client-address.js';
import { type Ingest, ingestStore, taskResults } from '../ingest/index.js';
import {
  failOverdueUpgrades,
  LinkServer,
  type LinkSessionsPorts,
  LinkTable,
  linkRecords,
  type NodeVitals,
  storeStates,
  storeVitals,
  UpgradeDeadlines,
  VitalsLog,
} from '../links/index.js';
import type { MailParts } from '../mail/index.js';
import { DueCount, type MonitorWork, openMonitorWork } from '../modules/monitors/index.js';
import { Enrollment, EnrollmentTokens, NodePlaces, Nodes } from '../modules/nodes/index.js';
import { type Dispatch, dispatchStore, type RecentTasks, type Waiters } from '../modules/probes/index.js';
import { TargetLists } from '../target-lists.js';
import type { Foundation } from './foundation.js';
import { followNews, wireLinkWork } from './link-work.js';
import type { Replicas } from './replicas.js';

const HEARTBEAT_MS = 15_000;
const BUSY_HEARTBEAT_MS = 1_000;
/** A node that has not heard of its control plane for so long stops checking. */
const LEASE_SECONDS = 86_400;

/** The side that agents see: enrollment, links, work out and results in. */
export interface Agents {
  readonly nodes: Nodes;
  readonly enrollment: Enrollment;
  readonly enrollmentTokens: EnrollmentTokens;
  readonly geo: GeoDatabases;
  readonly places: NodePlaces;
  readonly lists: TargetLists;
  readonly linkServer: LinkServer;
  readonly ingest: Ingest;
  readonly dispatch: Dispatch;
  readonly recent: RecentTasks;
  readonly waiters: Waiters;
  readonly upgradeDeadlines: UpgradeDeadlines;
  readonly vitals: VitalsLog;
  readonly monitorWork: MonitorWork;
}

/** Builds it; nothing runs yet. */
export function wireAgents(foundation: Foundation, replicas: Replicas, mail: MailParts['mail']): Agents {
  const { config, clock, log, metrics, monitorMetrics, agentsDb: db, secretKey } = foundation;
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
  const { geo, places } = wirePlaces(foundation, replicas, links);
  const monitorWork = openMonitorWork({
    ...replicas,
    db,
    findLink: (nodeId) => links.find(nodeId),
    mail,
    plans: config.plans,
    secretKey,
    counts: monitorMetrics,
    clock,
    log: log.child({ part: 'monitors' }),
  });
  const due = new DueCount(db, clock);
  monitorMetrics.watchDue(() => due.read());
  const { linkServer, ...work } = wireLinks(foundation, replicas, { links, lists, geo, places, monitorWork });
  const nodes = wireNodes(foundation, replicas, places);
  const watching = wireWatching(foundation, replicas, links);
  return { ...nodes, ...watching, ...work, geo, places, lists, linkServer, monitorWork };
}

/** What looks at nodes now and then. */
function wireWatching(
  { clock, log: root, agentsDb }: Foundation,
  { directory }: Replicas,
  links: LinkTable,
): Pick<Agents, 'upgradeDeadlines' | 'vitals'> {
  const log = root.child({ part: 'links' });
  const store = (vitals: readonly NodeVitals[]) => storeVitals(agentsDb, vitals);
  const vitals = new VitalsLog({ links: () => links.all(), store, clock, log });
  links.onEnded = (session) => vitals.takeLeft(session);
  return {
    upgradeDeadlines: new UpgradeDeadlines({
      failOverdue: () => failOverdueUpgrades(agentsDb),
      announce: (ids) => directory.announce(ids),
      clock,
      log,
    }),
    vitals,
  };
}

/** Where nodes stand; those linked here are placed anew when a database changes. */
function wirePlaces(
  { config, clock, log, agentsDb, metrics }: Foundation,
  { directory }: Replicas,
  links: LinkTable,
): Pick<Agents, 'geo' | 'places'> {
  const geo = new GeoDatabases({ directory: config.geoipDir, clock, log: log.child({ part: 'geo' }) });
  const places = new NodePlaces({ db: agentsDb, geo, directory, log: log.child({ part: 'nodes' }) });
  metrics.watchGeoDatabases(geo);
  geo.onChange(() => {
    places.deriveAll(links.all()).catch((err: unknown) => log.warn({ err }, 'changed places of nodes not announced'));
  });
  return { geo, places };
}

/** Work out, results in, and the server of the links they take. */
function wireLinks(
  foundation: Foundation,
  { directory, bus }: Replicas,
  {
    links,
    lists,
    geo,
    places,
    monitorWork,
  }: Pick<Agents, 'lists' | 'geo' | 'places' | 'monitorWork'> & { readonly links: LinkTable },
): Pick<Agents, 'ingest' | 'dispatch' | 'recent' | 'waiters' | 'linkServer'> {
  const { config, clock, log, agentsDb, replicaId, identity, publicUrl, metrics } = foundation;
  const { sessions, ...work } = wireLinkWork({
    stores: { links: linkRecords(agentsDb), ingest: ingestStore(agentsDb), dispatch: dispatchStore(agentsDb) },
    replicaId,
    directory,
    bus,
    metrics,
    identity,
    clock,
    audience: publicUrl,
    table: links,
    // once, as it was when it was measured: a task is read many times
    annotate: (type, result) => definitionOf(type).annotate?.(result, (address) => geo.locate(address)),
    place: (nodeId, address) => places.derive(nodeId, address),
    checkStorage: () => checkDatabase(agentsDb),
    kinds: [taskResults, ...monitorWork.kinds],
    assigned: monitorWork.assigned,
    states: {
      kinds: monitorWork.states,
      store: (link, states) => storeStates(agentsDb, link, states),
      countPassedOver: (states) => metrics.countStatesPassedOver(states),
    },
    onSetBack: () => metrics.countSetBack(),
    config: () => ({
      heartbeatMs: HEARTBEAT_MS,
      busyHeartbeatMs: BUSY_HEARTBEAT_MS,
      ownAddresses: lists.policy.lists.own,
      denied: lists.policy.lists.denied,
      canaries: config.canaryTargets,
      controlUrls: config.controlUrls,
      leaseSeconds: LEASE_SECONDS,
    }),
    logOf: (part) => log.child({ part }),
  });
  const linkServer = wireLinkServer(foundation, sessions);
  followNews(directory, links, linkServer);
  return { ...work, linkServer };
}

function wireLinkServer({ config }: Foundation, sessions: LinkSessionsPorts): LinkServer {
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  return new LinkServer({
    ...sessions,
    acceptRate: config.linkRate,
    maxUnproven: config.unprovenLinks,
    maxUnprovenPerAddress: config.unprovenLinksPerAddress,
    addressOf: (request) => clientAddress(request, trustedProxies),
  });
}

function wireNodes(
  { config, db, clock, identity, publicUrl }: Foundation,
  { directory, limiter }: Replicas,
  places: NodePlaces,
): Pick<Agents, 'nodes' | 'enrollment' | 'enrollmentTokens'> {
  const { plans } = config;
  return {
    nodes: new Nodes({ db, directory }),
    enrollment: new Enrollment({
      db,
      clock,
      plans,
      limiter,
      directory,
      places,
      publicUrl,
      controlUrls: config.controlUrls,
      serverPublicKey: identity.publicKey.toString('base64'),
      heartbeatMs: HEARTBEAT_MS,
    }),
    enrollmentTokens: new EnrollmentTokens({ db, clock, plans }),
  };
}
