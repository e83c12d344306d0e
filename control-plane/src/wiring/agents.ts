import { definitionOf, isProbeType } from '@vantage/shared/probe-types/index.js';
import { checkDatabase } from '../db/database.js';
import { clientAddress, parseTrustedProxies } from '../http/frame/client-address.js';
import { type Ingest, ingestStore, taskResults } from '../ingest/index.js';
import {
  BUSY_HEARTBEAT_MS,
  failOverdueUpgrades,
  HEARTBEAT_MS,
  LEASE_SECONDS,
  LinkServer,
  type LinkSessionsPorts,
  linkRecords,
  type NodeVitals,
  storeStates,
  storeVitals,
  UpgradeDeadlines,
  VitalsLog,
} from '../links/index.js';
import type { OpenHouse } from '../modules/module.js';
import type { Foundation } from './foundation.js';
import { followChanges, wireLinkWork } from './link-work.js';
import type { OpenedModules } from './open-modules.js';

/** The side that agents see: links, work out and results in. */
export interface Agents {
  readonly linkServer: LinkServer;
  readonly ingest: Ingest;
  readonly upgradeDeadlines: UpgradeDeadlines;
  readonly vitals: VitalsLog;
}

/** Builds it; nothing runs yet. */
export function wireAgents(foundation: Foundation, house: OpenHouse, opened: OpenedModules): Agents {
  const { ingest, sessions } = wireLinkWork(portsOf(foundation, house, opened));
  const linkServer = wireLinkServer(foundation, sessions);
  followChanges(house.directory, house.links, linkServer);
  return { linkServer, ingest, ...wireWatching(house) };
}

/** Connects the parts that look at nodes periodically. */
function wireWatching({
  clock,
  log: root,
  agentsDb,
  links,
  directory,
}: OpenHouse): Pick<Agents, 'upgradeDeadlines' | 'vitals'> {
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

function portsOf(
  { identity, patience }: Foundation,
  house: OpenHouse,
  { services, links }: OpenedModules,
): Parameters<typeof wireLinkWork>[0] {
  const { config, clock, log, agentsDb, replicaId, publicUrl, metrics, directory, geo, lists } = house;
  const busyHeartbeatMs = patience?.busyHeartbeatMs ?? BUSY_HEARTBEAT_MS;
  const { probes, nodes } = services;
  const [assigned] = links.flatMap(({ assigned }) => assigned ?? []);
  if (assigned === undefined) throw new Error('no module assigns work to nodes');
  return {
    stores: { links: linkRecords(agentsDb), ingest: ingestStore(agentsDb) },
    replicaId,
    directory,
    probeWork: probes.work,
    metrics,
    identity,
    clock,
    audience: publicUrl,
    table: house.links,
    // computed once, when it was measured: a task is read many times
    annotate: (type, result) => {
      if (isProbeType(type)) definitionOf(type).annotate?.(result, (address) => geo.locate(address));
    },
    place: (nodeId, address) => nodes.places.derive(nodeId, address),
    checkStorage: () => checkDatabase(agentsDb),
    kinds: [taskResults, ...links.flatMap(({ kinds }) => kinds)],
    assigned,
    states: {
      kinds: links.flatMap(({ states }) => states),
      store: (link, states) => storeStates(agentsDb, link, states),
      countPassedOver: (states) => metrics.countStatesPassedOver(states),
    },
    onSetBack: () => metrics.countSetBack(),
    config: () => ({
      heartbeatMs: HEARTBEAT_MS,
      busyHeartbeatMs,
      ownAddresses: lists.policy.lists.own,
      denied: lists.policy.lists.denied,
      canaries: config.canaryTargets,
      controlUrls: config.controlUrls,
      leaseSeconds: LEASE_SECONDS,
    }),
    logOf: (part) => log.child({ part }),
  };
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
