import { PostgresBus } from '../bus/postgres-bus.js';
import { SharedWindows, WindowLimiter } from '../limits/index.js';
import { LINK_GRACE_MS } from '../links/index.js';
import { NodeDirectory } from '../modules/nodes/index.js';
import { ReplicaLease } from '../replicas/replica-lease.js';
import type { Foundation } from './foundation.js';

/** What replicas share: that they live, what they tell one another, the nodes, and what of each limit is used. */
export interface Replicas {
  readonly lease: ReplicaLease;
  readonly bus: PostgresBus;
  readonly directory: NodeDirectory;
  readonly windows: SharedWindows;
  readonly limiter: WindowLimiter;
}

/** Builds it; nothing runs yet. */
export function wireReplicas({ storage, agentsDb, limitsDb, replicaId, clock, log, metrics }: Foundation): Replicas {
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
  const bus = new PostgresBus({
    url: storage.url,
    replicaId,
    isListening: true,
    hasOthers: () => lease.hasOthers,
    log: log.child({ part: 'bus' }),
    clock,
  });
  const directory = new NodeDirectory({ db: agentsDb, bus, clock, log: log.child({ part: 'nodes' }) });
  return { lease, bus, directory, windows, limiter: new WindowLimiter(windows, clock) };
}
