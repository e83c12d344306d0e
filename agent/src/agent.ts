import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import { readKernelClock } from '@vantage/shared/kernel-clock.js';
import { describeAgent } from './agent-status.js';
import type { AgentConfig } from './config.js';
import { NotEnrolledError } from './identity/errors.js';
import { effectivePins, findIdentity, type NodeIdentity, openIdentity } from './identity/identity.js';
import { lockStateDirectory, openStateDirectory } from './identity/state-directory.js';
import { ClockFile, machineUptime, readKeptClock } from './link/clock-file.js';
import { ClockSync } from './link/clock-sync.js';
import { dialLink } from './link/dial.js';
import { Jobs } from './link/jobs.js';
import { Link } from './link/link.js';
import { LinkAddresses } from './link/link-addresses.js';
import { type LinkWay, systemLookUp } from './link/link-way.js';
import type { FinalEnd } from './link/reconnect.js';
import { StateSources } from './link/state-sources.js';
import type { Logger } from './log.js';
import { MeasuringProcess } from './measuring/measuring-process.js';
import { hasWorldRoute } from './net/route.js';
import { Schedule } from './schedule/schedule.js';
import { ScheduleFile } from './schedule/schedule-file.js';
import { withSpooled } from './schedule/spooled-slots.js';
import { UplinkGuard } from './schedule/uplink-guard.js';

import { SelfProbes } from './self-test/self-probes.js';
import { parseCanaries, SelfTest } from './self-test/self-test.js';
import { Spool } from './spool/spool.js';
import { StatusFile } from './status-file.js';
import { Upgrades } from './upgrade/upgrades.js';
import { AGENT_VERSION } from './version.js';

/** Running probes and checks have this long to finish when the agent stops, milliseconds. */
const DRAIN_MS = 2000;

export interface AgentOptions {
  readonly config: AgentConfig;
  readonly log: Logger;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
}

//   state directory -> identity, spool ----+
//   measuring child ------------ jobs -----+--> link <--> control plane
//   schedule file --- schedule -+          |      |
//                                 clock ---+      |
//                                            status file

/** The agent, put together: it takes jobs from the link, has them measured, and keeps results until they are delivered. */
export class Agent {
  readonly #options: AgentOptions;
  /** Running parts, which end in reverse order. */
  readonly #running: { readonly name: string; end(): Promise<void> | void }[] = [];
  #link: Link | null = null;
  #stopping: Promise<void> | null = null;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** Starts everything. What was started is ended again when a part fails. @throws the errors of identity/ and SpoolOpenError */
  async start(): Promise<void> {
    try {
      await this.#startParts();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Resolves when the control plane ends this agent for good, or with null after stop(). */
  async finished(): Promise<FinalEnd | null> {
    return (await this.#link?.start()) ?? null;
  }

  /** Link in one line, for the service manager. */
  get summary(): string {
    const status = this.#link?.status;
    return status === undefined ? 'starting' : `link ${status.state}${status.url === null ? '' : `, ${status.url}`}`;
  }

  /** Accepts no more jobs, gives the running ones two seconds, delivers what it can and ends. May be called twice. */
  stop(): Promise<void> {
    this.#stopping ??= this.#endParts();
    return this.#stopping;
  }

  async #startParts(): Promise<void> {
    const { config, log, clock, random } = this.#options;
    const identity = await this.#openNode(config.stateDir);

    // started first: its engines load while the spool opens
    const measuring = new MeasuringProcess({
      settings: config.engines,
      serviceUrl: identity.audience,
      clock,
      log: log.child({ part: 'measuring' }),
    });
    measuring.start();
    this.#runs('measuring process', () => measuring.stop());

    const spool = await this.#openSpool();

    const clockSync = await this.#openClock();
    const jobs = new Jobs({ measuring, spool, clockSync, clock, log: log.child({ part: 'jobs' }) });
    const selfTest = new SelfTest({
      measuring,
      clockSync,
      clock,
      random,
      hasRoute: hasWorldRoute,
      readKernelClock,
      onReport: () => statusFile.changed(),
    });
    selfTest.start();
    this.#runs('self-test', () => selfTest.stop());
    const states = new StateSources((error) => log.error({ err: error }, 'cannot read the newest states of a kind'));
    const uplink = new UplinkGuard({ probes: new SelfProbes(measuring, 'uplink'), clock });
    const file = new ScheduleFile({ stateDir: config.stateDir, clock, log: log.child({ part: 'schedule' }) });
    this.#runs('schedule file', () => file.close());
    const schedule = new Schedule({
      nodeId: identity.nodeId,
      measuring,
      spool,
      clockSync,
      clock,
      uplink,
      file,
      stored: await withSpooled(await file.load(), spool, identity.nodeId),
      log: log.child({ part: 'schedule' }),
      onDurable: () => link.wake('check'),
    });
    states.add(schedule);
    const upgrades = this.#openUpgrades();
    const way = await this.#openWay();
    const bootId = randomUUID();
    const link = new Link({
      identity,
      about: async () => ({ bootId, agentVersion: AGENT_VERSION, capabilities: await measuring.ready() }),
      dial: (controlUrl) => dialLink(controlUrl, way),
      spool,
      jobs,
      schedule,
      upgrades,
      clockSync,
      clock,
      random,
      log: log.child({ part: 'link' }),
      onLists: (lists) => measuring.setLists(lists),
      onCanaries: (canaries) => {
        selfTest.setCanaries(canaries);
        uplink.setCanaries(parseCanaries(canaries));
      },
      selfTest: () => selfTest.latest,
      states: () => states.newest(),
      onStatus: ({ state }) => {
        schedule.linkIs(state === 'open');
        statusFile.changed();
      },
    });
    const startedAt = clock.now();
    const statusFile = new StatusFile({
      stateDir: config.stateDir,
      clock,
      read: () =>
        describeAgent({
          nodeId: identity.nodeId,
          startedAt,
          link,
          spool,
          jobs,
          schedule,
          measuring,
          selfTest,
          clockSync,
          clock,
        }),
    });
    statusFile.start();
    this.#runs('status file', () => statusFile.stop());

    this.#link = link;
    void link.start();
    this.#runs('link', () => link.stop());
    schedule.start();
    this.#runs('jobs and checks', async () => {
      await Promise.all([jobs.close(DRAIN_MS), schedule.close(DRAIN_MS)]);
    });
    log.info({ nodeId: identity.nodeId, version: AGENT_VERSION, stateDir: config.stateDir }, 'agent started');
  }

  /** The directory is locked before anything in it is trusted; one that holds no identity is left alone. */
  async #openNode(stateDir: string): Promise<NodeIdentity> {
    if ((await findIdentity(stateDir)) === null) throw new NotEnrolledError(stateDir);
    await openStateDirectory(stateDir);
    const lock = lockStateDirectory(stateDir);
    this.#runs('state directory', () => lock.release());
    return openIdentity(stateDir);
  }

  /** Creates the path to the control plane, which also tries addresses that worked before. */
  async #openWay(): Promise<LinkWay> {
    const { config, clock } = this.#options;
    const log = this.#options.log.child({ part: 'link' });
    const { stateDir, bindAddress, proxyUrl, ignoredProxies } = config;
    if (ignoredProxies.length > 0)
      log.info({ ignoredProxies }, 'the link ignores proxy variables: only VANTAGE_AGENT_PROXY sets its proxy');
    const onFallback = (host: string, addresses: readonly string[]) =>
      log.warn({ host, addresses }, 'cannot resolve the control plane by DNS, using addresses that worked before');
    const addresses = await LinkAddresses.open({ stateDir, clock, lookUp: systemLookUp, onFallback });
    this.#runs('link addresses', () => addresses.settled());
    const tlsPins = effectivePins(config.tlsPins, await findIdentity(stateDir));
    if (tlsPins.length > 0) log.info({ tlsPins }, 'the TLS key of the control plane is pinned');
    return { bindAddress, proxyUrl, tlsPins, addresses, clock };
  }

  /** Opens the clock; server time continues from the estimate of the previous process. */
  async #openClock(): Promise<ClockSync> {
    const { config, clock, log } = this.#options;
    const [uptime, kept] = await Promise.all([machineUptime(), readKeptClock(config.stateDir)]);
    const clockSync = new ClockSync(clock, { uptime, kept });
    clockSync.onStep((step) => log.warn({ byMs: Math.round(step.byMs) }, 'server time stepped on this machine'));
    const file = new ClockFile({ stateDir: config.stateDir, clock, clockSync });
    file.start();
    this.#runs('clock file', () => file.stop());
    return clockSync;
  }

  #openUpgrades(): Upgrades {
    const { config, clock, log } = this.#options;
    const upgrades = new Upgrades({
      command: config.upgradeCommand,
      stateDir: config.stateDir,
      version: AGENT_VERSION,
      clock,
      log: log.child({ part: 'upgrade' }),
    });
    upgrades.start();
    this.#runs('upgrade', () => upgrades.stop());
    return upgrades;
  }

  async #openSpool(): Promise<Spool> {
    const { config, log, clock } = this.#options;
    const folder = join(config.stateDir, 'spool');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const spool = await Spool.open({ folder, log: log.child({ part: 'spool' }), clock });
    this.#runs('spool', () => spool.close());
    return spool;
  }

  #runs(name: string, end: () => Promise<void> | void): void {
    this.#running.push({ name, end });
  }

  async #endParts(): Promise<void> {
    for (const part of this.#running.reverse()) {
      try {
        await part.end();
      } catch (error) {
        this.#options.log.error({ err: error, part: part.name }, 'part did not stop cleanly');
      }
    }
  }
}
