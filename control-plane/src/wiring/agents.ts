import { clientAddress, parseTrustedProxies } from '../http/client-address.js';
import { Ingest } from '../ingest/index.js';
import { followDirectory, LinkServer, LinkStore, LinkTable } from '../links/index.js';
import { Enrollment, Nodes } from '../modules/nodes/index.js';
import { Dispatch, RecentTasks, Waiters } from '../modules/probes/index.js';
import { TargetLists } from '../target-lists.js';
import type { Foundation } from './foundation.js';
import type { Replicas } from './replicas.js';

const HEARTBEAT_MS = 15_000;
const BUSY_HEARTBEAT_MS = 1_000;

/** The side that agents see: enrollment, links, work out and results in. */
export interface Agents {
  readonly nodes: Nodes;
  readonly lists: TargetLists;
  readonly linkServer: LinkServer;
  readonly ingest: Ingest;
  readonly dispatch: Dispatch;
  readonly recent: RecentTasks;
  readonly waiters: Waiters;
}

/** Builds it; nothing runs yet. */
export function wireAgents(foundation: Foundation, replicas: Replicas): Agents {
  const { config, clock, log, agentsDb, replicaId, metrics } = foundation;
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
  const recent = new RecentTasks(clock);
  const ingest = new Ingest({ db: agentsDb, clock, log: log.child({ part: 'ingest' }), metrics });
  spreadFinished(ingest, replicas, { recent, waiters });
  const dispatch = new Dispatch({
    db: agentsDb,
    replicaId,
    directory: replicas.directory,
    links,
    bus: replicas.bus,
    waiters,
    recent,
    metrics,
    clock,
    log: log.child({ part: 'dispatch' }),
  });
  const linkServer = wireLinkServer(foundation, replicas, { links, lists, ingest, dispatch });
  return { nodes: wireNodes(foundation, replicas), lists, linkServer, ingest, dispatch, recent, waiters };
}

/** Who waits for a task hears that it is finished, on whichever replica. */
function spreadFinished(
  ingest: Ingest,
  { bus }: Replicas,
  { recent, waiters }: Pick<Agents, 'recent' | 'waiters'>,
): void {
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
}

function wireLinkServer(
  { config, clock, log, agentsDb, replicaId, identity, publicUrl }: Foundation,
  { directory }: Replicas,
  { links, lists, ingest, dispatch }: Pick<Agents, 'lists' | 'ingest' | 'dispatch'> & { readonly links: LinkTable },
): LinkServer {
  const trustedProxies = parseTrustedProxies(config.trustedProxies);
  const server = new LinkServer({
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
  return server;
}

function wireNodes({ db, clock, identity, publicUrl }: Foundation, { directory }: Replicas): Nodes {
  return new Nodes({
    db,
    directory,
    enrollment: new Enrollment({ db, clock, audience: publicUrl }),
    serverPublicKey: identity.publicKey.toString('base64'),
    publicUrl,
    heartbeatMs: HEARTBEAT_MS,
  });
}
