import { generateKeyPairSync } from 'node:crypto';
import { decodeResult } from '@vantage/shared/protocol/codec.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import type { Keyring } from 'vantage-agent/identity/node-keys.js';
import { ClockSync } from 'vantage-agent/link/clock-sync.js';
import { Jobs } from 'vantage-agent/link/jobs.js';
import { Link } from 'vantage-agent/link/link.js';
import { Schedule } from 'vantage-agent/schedule/schedule.js';
import { ScheduleFile } from 'vantage-agent/schedule/schedule-file.js';
import { withSpooled } from 'vantage-agent/schedule/spooled-slots.js';
import { Spool } from 'vantage-agent/spool/spool.js';
import { Upgrades } from 'vantage-agent/upgrade/upgrades.js';
import { slotsOfReport } from '../invariants/slot-reports.js';
import { type DiskCopy, SimulatedDisk } from './disk.js';
import { SimulatedEngine } from './engine.js';
import { SimulatedProcess } from './process.js';
import { subjectOf } from './recorder.js';
import type { SiteContext } from './site-context.js';

/** A copy of a state directory. */
export interface StateCopy {
  readonly generation: number;
  readonly disk: DiskCopy;
}

interface RunningAgent {
  readonly process: SimulatedProcess;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly schedule: Schedule;
  readonly link: Link;
  readonly clockSync: ClockSync;
  /** Puts a result into the spool, which is written down when the disk has it. @throws SpoolClosedError */
  readonly append: Spool['append'];
}

/** One node: a machine with a disk, and the agent on it, which may be killed and started again. */
export class SimulatedAgent {
  readonly disk: SimulatedDisk;
  readonly keys = generateKeyPairSync('ed25519');
  readonly publicKey = rawPublicKey(this.keys.publicKey);
  /** Error of its machine's wall clock, in milliseconds. */
  wallErrorMs = 0;
  readonly #site: SiteContext;
  #generation = 0;
  #boots = 0;
  #process: SimulatedProcess | null = null;
  #running: RunningAgent | null = null;
  #isOnline = false;

  constructor(
    site: SiteContext,
    readonly nodeId: string,
    private readonly limits: { readonly maxBytes: number; readonly maxPendingBytes: number },
  ) {
    this.#site = site;
    this.disk = new SimulatedDisk(site.world.random.fork());
  }

  get process(): SimulatedProcess | null {
    return this.#process?.isDead === false ? this.#process : null;
  }

  get running(): RunningAgent | null {
    return this.#running?.process.isRunning === true ? this.#running : null;
  }

  get isOnline(): boolean {
    return this.#isOnline && this.process !== null;
  }

  /** Starts a new process unless there is one. */
  start(): void {
    if (this.process !== null) return;
    this.#boots += 1;
    const process = new SimulatedProcess(this.nodeId, this.#site.world);
    process.wallErrorMs = this.wallErrorMs;
    this.#process = process;
    this.#site.world.trace.add(this.nodeId.slice(-5), 'starts');
    void this.#run(process, `boot-${this.#boots}`);
  }

  /** Kills the agent. Its machine loses power when `isSilent`; otherwise the kernel notifies the peers. */
  kill(isSilent: boolean): void {
    if (this.process === null) return;
    this.#site.world.trace.add(this.nodeId.slice(-5), isSilent ? 'loses power' : 'is killed');
    if (isSilent) this.#site.network.vanish(this.process);
    this.process.kill();
    this.#over();
  }

  /** SIGTERM. */
  stop(): void {
    const running = this.#running;
    if (running === null || running.process.isDead) return;
    this.#site.world.trace.add(this.nodeId.slice(-5), 'stops');
    this.#running = null;
    const end = () => {
      running.process.kill();
      this.#over();
    };
    running.process.after(60_000, end);
    const drained = Promise.all([running.jobs.close(2_000), running.schedule.close(2_000)]);
    const left = drained.then(() => running.link.stop());
    left.then(() => running.spool.close()).then(end, end);
  }

  /** Sets the error of its machine's wall clock. */
  setWallError(ms: number): void {
    this.wallErrorMs = ms;
    if (this.process !== null) this.process.wallErrorMs = ms;
  }

  copyState(): StateCopy {
    return { generation: this.#generation, disk: this.disk.copy() };
  }

  /** The spool is put back from a copy; only while nothing runs. */
  restoreSpool({ disk }: StateCopy): void {
    this.disk.restore(disk);
    this.#site.recorder.add('spool-lost', { nodeId: this.nodeId }, 'has its spool restored from a copy');
  }

  /** The same with what it watches. */
  restoreState(copy: StateCopy): void {
    this.restoreSpool(copy);
    this.disk.restoreSchedule(copy.disk);
    this.#site.recorder.watches.restored(this.nodeId);
  }

  #keyring(): Keyring {
    const current = { privateKey: this.keys.privateKey, publicKey: this.publicKey };
    return { current, candidates: [current], makeNext: async () => current, settle: async () => undefined };
  }

  #over(): void {
    if (this.#isOnline) this.#site.recorder.add('offline', { nodeId: this.nodeId }, 'is offline');
    this.#isOnline = false;
    this.#running = null;
  }

  async #run(process: SimulatedProcess, bootId: string): Promise<void> {
    const { nodeId } = this;
    const { clock, world } = process;
    const { recorder, network, serverIdentity, audience } = this.#site;
    const log = this.#site.logOf(nodeId);
    const spool = await Spool.open({
      folder: nodeId,
      log,
      clock,
      startThread: this.disk.threadFor(process),
      ...this.limits,
    });
    const clockSync = new ClockSync(clock);
    const measuring = new SimulatedEngine(process, { nodeId, bootId, recorder });
    const append: Spool['append'] = (lane, payload) => {
      const appended = spool.append(lane, payload);
      const result = decodeResult(payload);
      const subject = subjectOf(result, nodeId);
      const slots = slotsOfReport(result);
      if (slots !== null) {
        recorder.add('produced', { subject, nodeId, durationMs: 0 });
        recorder.add('told', { subject, nodeId, ...slots }, `tells ${subject.slice(-32)}`);
      }
      appended.durable
        .then(() => recorder.add('durable', { subject, nodeId }, `keeps ${subject.slice(-5)}`))
        .catch(() => {});
      return appended;
    };
    const jobs = new Jobs({ measuring, spool: { append }, clockSync, clock, log });
    const place = this.disk.schedulePlace(process, (stored) => recorder.watches.kept(nodeId, stored));
    const file = new ScheduleFile({ stateDir: nodeId, place, clock, log });
    const schedule: Schedule = new Schedule({
      nodeId,
      spool: { append },
      clockSync,
      clock,
      log,
      measuring,
      uplink: { isLost: async () => false },
      file,
      stored: await withSpooled(await file.load(), spool, nodeId),
      onDurable: () => link.wake('check'),
    });
    const random = world.random.fork();
    const link: Link = new Link({
      identity: {
        nodeId,
        keys: this.#keyring(),
        serverPublicKey: serverIdentity.serverPublicKey,
        audience,
        controlUrls: this.#site.controlUrls(random),
        nextGeneration: () => this.#nextGeneration(process),
        keepControlUrls: async () => undefined,
      },
      about: async () => ({ bootId, agentVersion: '0.1.0', capabilities: ['icmp'] }),
      dial: (url) => network.dial(process, nodeId, url),
      spool,
      jobs,
      schedule,
      upgrades: new Upgrades({ command: null, stateDir: '', version: '0.1.0', clock, log }),
      clockSync,
      clock,
      random: () => random.next(),
      log,
      onLists: () => undefined,
      onCanaries: () => undefined,
      states: async () => [],
      selfTest: () => null,
      onStatus: ({ state, lastEnd }) => {
        schedule.linkIs(state === 'open');
        this.#noteStatus(process, state === 'open', lastEnd?.kind ?? '');
      },
    });
    schedule.start();
    this.#running = { process, spool, jobs, schedule, link, clockSync, append };
    // banned: it ends, and only a person starts it again
    if ((await link.start()) === null) return;
    process.kill();
    this.#over();
  }

  #noteStatus(process: SimulatedProcess, isOpen: boolean, reason: string): void {
    if (process.isDead || isOpen === this.#isOnline) return;
    this.#isOnline = isOpen;
    if (isOpen) this.#site.recorder.add('online', { nodeId: this.nodeId }, 'is online');
    else this.#site.recorder.add('offline', { nodeId: this.nodeId }, `is offline: ${reason}`);
  }

  /** Next generation, written to the disk before it is used. */
  #nextGeneration(process: SimulatedProcess): Promise<number> {
    return new Promise((resolve) => {
      process.after(this.disk.latencyMs, () => {
        this.#generation += 1;
        resolve(this.#generation);
      });
    });
  }
}
