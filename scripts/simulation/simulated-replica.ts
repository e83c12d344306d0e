import { LINK_GRACE_MS, LinkSessions, LinkTable } from 'vantage-control/links/index.js';
import { AssignmentAnnouncements } from 'vantage-control/modules/monitors/placement/assignment-announcements.js';
import { NodeDirectory } from 'vantage-control/modules/nodes/index.js';
import { ShutOutPoll } from 'vantage-control/modules/nodes/shut-out-poll.js';
import { openProbeWork, type ProbeWork } from 'vantage-control/modules/probes/index.js';
import { ReplicaLease } from 'vantage-control/replicas/replica-lease.js';
import { followChanges, wireLinkWork } from 'vantage-control/wiring/link-work.js';
import { storesOf } from './database/stores.js';
import { SimulatedProcess } from './process.js';
import { simulatedKinds } from './reading-kind.js';
import type { SiteContext } from './site-context.js';

const metrics = { countResult: () => undefined, observe: () => undefined, countRejects: () => undefined };

/** The parts of a control plane that run, and how they end in order. */
interface RunningReplica {
  readonly process: SimulatedProcess;
  readonly dispatch: ProbeWork['dispatch'];
  readonly directory: NodeDirectory;
  readonly recent: ProbeWork['recent'];
  readonly announcements: AssignmentAnnouncements;
  stop(): Promise<void>;
}

/** One control plane: the real parts of it that agents see, over ports. It may be killed and started again. */
export class SimulatedReplica {
  readonly url: string;
  readonly #site: SiteContext;
  #running: RunningReplica | null = null;
  #process: SimulatedProcess | null = null;
  #starts = 0;

  constructor(
    site: SiteContext,
    readonly name: string,
  ) {
    this.#site = site;
    this.url = `http://${name}.test`;
  }

  /** The process, while there is one. */
  get process(): SimulatedProcess | null {
    return this.#process?.isDead === false ? this.#process : null;
  }

  /** Parts of the replica, once they are started and while they run. */
  get running(): RunningReplica | null {
    return this.#running?.process.isRunning === true ? this.#running : null;
  }

  /** Starts a new process unless there is one; tried again until the database lets it. */
  start(): void {
    if (this.process !== null) return;
    const process = new SimulatedProcess(this.name, this.#site.world);
    this.#process = process;
    this.#starts += 1;
    this.#site.world.trace.add(this.name, 'starts');
    this.#boot(process, `rep_${this.name}_${this.#starts}`).catch(() => {
      process.kill();
      this.#site.world.after(2_000, () => this.start());
    });
  }

  kill(): void {
    this.#site.world.trace.add(this.name, 'is killed');
    this.#process?.kill();
    this.#running = null;
  }

  /** Stops the replica as in a rolling restart. */
  stop(): void {
    const { running } = this;
    if (running === null) return;
    this.#site.world.trace.add(this.name, 'stops');
    this.#running = null;
    const end = () => running.process.kill();
    // a process that waits forever is killed, as by systemd
    running.process.after(60_000, end);
    running.stop().then(end, end);
  }

  async #boot(process: SimulatedProcess, replicaId: string): Promise<void> {
    const site = this.#site;
    const stores = storesOf(site.database, process);
    const bus = site.bus.join(process, replicaId);
    const { clock } = process;
    const log = site.logOf(this.name);
    const lease: ReplicaLease = new ReplicaLease({
      store: stores.replicas,
      replicaId,
      url: this.url,
      allowTargets: [],
      isAlone: false,
      graceMs: LINK_GRACE_MS.replicaGone,
      clock,
      log,
      onUnlinked: (ids) => directory.announce(ids),
    });
    const directory = new NodeDirectory({ nodes: stores.nodes, bus, clock, log });
    const table = new LinkTable();
    const probeWork = openProbeWork({
      store: stores.dispatch,
      replicaId,
      directory,
      links: table,
      bus,
      metrics,
      clock,
      log,
    });
    const { dispatch, recent } = probeWork;
    const { ingest, sessions: ports } = wireLinkWork({
      kinds: simulatedKinds,
      stores,
      replicaId,
      directory,
      probeWork,
      metrics,
      clock,
      table,
      identity: site.serverIdentity,
      audience: site.audience,
      checkStorage: async () => void (await stores.nodes.find([])),
      states: { kinds: [], store: async () => ({ isLive: true, newer: [] }), countPassedOver: () => undefined },
      onSetBack: () => undefined,
      assigned: stores.assigned,
      config: () => ({
        heartbeatMs: 15_000,
        busyHeartbeatMs: 1_000,
        ownAddresses: [],
        denied: [],
        canaries: [],
        controlUrls: [],
        leaseSeconds: 86_400,
      }),
      logOf: () => log,
    });
    const sessions = new LinkSessions(ports);
    followChanges(directory, table, sessions);
    const shutOutPoll = new ShutOutPoll({
      nodes: stores.nodes,
      hasLinks: () => table.size > 0,
      refresh: (ids) => directory.refresh(ids),
      clock,
      log,
    });
    const announcements = new AssignmentAnnouncements({
      bus,
      listSince: stores.assignmentChanges,
      findLink: (nodeId) => table.find(nodeId),
      clock,
      log,
    });
    await lease.start();
    lease.announce(bus);
    await directory.start();
    shutOutPoll.start();
    dispatch.start();
    announcements.start();
    site.network.listen(this.url, {
      process,
      accept: (socket) => sessions.begin(socket, '192.0.2.1', () => undefined),
    });
    this.#running = {
      process,
      dispatch,
      directory,
      recent,
      announcements,
      stop: async () => {
        site.network.unlisten(this.url);
        await sessions.stop();
        await ingest.drain();
        await dispatch.stop();
        await announcements.stop();
        shutOutPoll.stop();
        directory.stop();
        await lease.stop();
      },
    };
    site.world.trace.add(this.name, 'is ready');
  }
}
