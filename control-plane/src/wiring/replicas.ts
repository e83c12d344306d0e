import type { Bus } from '../bus/bus.js';
import { openBus } from '../bus/open-bus.js';
import type { HttpServer } from '../http/listeners/server.js';
import { SharedWindows, WindowLimiter } from '../limits/index.js';
import { LINK_GRACE_MS, type LinkServer } from '../links/index.js';
import { NodeDirectory } from '../modules/nodes/index.js';
import type { Streams } from '../modules/stream/index.js';
import { Drain } from '../replicas/drain.js';
import { ReplicaLease } from '../replicas/replica-lease.js';
import { replicaStore } from '../replicas/store.js';
import type { Foundation } from './foundation.js';

/** State that replicas share: their leases, their messages, the nodes, and the units used of each limit. */
export interface Replicas {
  readonly lease: ReplicaLease;
  readonly bus: Bus;
  readonly directory: NodeDirectory;
  readonly windows: SharedWindows;
  readonly limiter: WindowLimiter;
}

/** Builds it; nothing runs yet. */
export function wireReplicas(foundation: Foundation): Replicas {
  const { config, storage, identity, secretKey, agentsDb, limitsDb, replicaId, clock, log, metrics, patience } =
    foundation;
  const lease: ReplicaLease = new ReplicaLease({
    store: replicaStore(agentsDb),
    replicaId,
    url: config.replicaUrl,
    allowTargets: config.allowTargets,
    isAlone: storage.isOwned,
    graceMs: LINK_GRACE_MS.replicaGone,
    clock,
    log: log.child({ part: 'replicas' }),
    onUnlinked: (ids) => directory.announce(ids),
  });
  const windows = new SharedWindows({
    db: limitsDb,
    hasOthers: () => lease.hasOthers,
    answerWithinMs: patience?.limitsMs,
    clock,
    log: log.child({ part: 'limits' }),
    metrics,
  });
  const bus = openBus({
    address: config.busUrl,
    databaseUrl: storage.url,
    identityKey: identity.publicKey,
    secretKey,
    replicaId,
    isListening: true,
    hasOthers: () => lease.hasOthers,
    connectMs: patience?.connectMs,
    log: log.child({ part: 'bus' }),
    clock,
  });
  const directory = NodeDirectory.open({ db: agentsDb, bus, clock, log: log.child({ part: 'nodes' }) });
  metrics.watchQuarantine(() => directory.all());
  metrics.watchVersions(() => directory.all());
  return { lease, bus, directory, windows, limiter: new WindowLimiter(windows, clock) };
}

/** Builds the drain of this replica; it does not run yet. */
export function wireDrain(
  { config, clock, log }: Foundation,
  {
    replicas,
    linkServer,
    http,
    streams,
  }: { replicas: Replicas; linkServer: LinkServer; http: HttpServer; streams: Streams },
): Drain {
  const { lease } = replicas;
  const leave = () => {
    http.leave();
    streams.leave();
  };
  return new Drain({
    lease,
    linkServer,
    http: { leave },
    windowMs: config.drainMs,
    clock,
    log: log.child({ part: 'drain' }),
  });
}
