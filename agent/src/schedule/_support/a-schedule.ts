import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { CheckReport, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import { decodeResult, type Lane } from '@vantage/shared/protocol/codec.js';
import { pino } from 'pino';
import { ClockSync } from '../../link/clock-sync.js';
import type { CheckJob, CheckMeasurement } from '../../measuring/child-messages.js';
import type { Assignment } from '../assignment.js';
import { Schedule, type ScheduleOptions } from '../schedule.js';
import { withReported } from '../spooled-slots.js';
import { emptySchedule, type ReportedSchedule, type StoredRow, type StoredSchedule } from '../stored-schedule.js';

export const NODE_ID = 'n_1';
export const good: CheckJudgment = { outcome: 'ok', responseMs: 12, statusCode: null, error: null };

export function bad(code: NonNullable<CheckJudgment['error']>['code']): CheckJudgment {
  return { outcome: 'failed', responseMs: null, statusCode: null, error: { code, message: `it was ${code}` } };
}

export function monitorId(number: number): string {
  return `m_${String(number + 1)
    .padStart(22, 'A')
    .replaceAll('0', 'z')}`;
}

/** An assignment of a TCP monitor; `spec` differs. */
export function anAssignment(number: number, spec: object = {}, generation = 1): Assignment {
  const usual = {
    type: 'tcp',
    target: 'a.example:80',
    config: {},
    interval_s: 60,
    consecutive_fail: 1,
    consecutive_ok: 1,
  };
  return { monitorId: monitorId(number), generation, specJson: JSON.stringify({ ...usual, ...spec }) };
}

/** All assignments, in one frame. */
export function everything(...set: readonly Assignment[]) {
  return { set, dropped: [], begins: true, ends: true };
}

/** Lets resolved promises run. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

export type Reported = { kind: 'check'; body: CheckReport } | { kind: 'missed'; body: MissedReport };

const never = new Promise<never>(() => undefined);
const unheard = { sequence: 0, durable: Promise.resolve() };

/** File of a schedule, without a disk. */
class MemoryFile {
  stored: ReportedSchedule;
  readonly #rows: Map<string, StoredRow>;
  readonly #touched = new Set<string>();
  #readRow: (monitorId: string) => StoredRow | null = () => null;

  constructor(stored: ReportedSchedule) {
    this.stored = stored;
    this.#rows = new Map(stored.rows.map((row) => [row.monitorId, row]));
  }

  begin(readRow: (monitorId: string) => StoredRow | null): void {
    this.#readRow = readRow;
  }

  assignmentChanged(id: string): void {
    this.#touched.add(id);
  }

  progressChanged(id: string): void {
    this.#touched.add(id);
  }

  keepLease(lease: StoredSchedule['lease']): void {
    this.stored = { ...this.stored, lease };
  }

  async close(): Promise<void> {
    this.flush();
  }

  flush(): void {
    for (const id of this.#touched) {
      const row = this.#readRow(id);
      if (row === null) this.#rows.delete(id);
      else this.#rows.set(id, row);
    }
    this.#touched.clear();
    this.stored = { ...this.stored, rows: [...this.#rows.values()] };
  }
}

/** A node on a clock that the test moves, over any number of its processes. */
export class ScheduledNode {
  /** Lines of its log. */
  readonly warnings: object[] = [];
  readonly clock = new FakeClock();
  readonly reports: Reported[] = [];
  /** Details of each report, as JSON; empty: none. */
  readonly details: string[] = [];
  readonly jobs: CheckJob[] = [];
  /** Result of a check, and its duration. */
  answer: (job: CheckJob) => {
    readonly afterMs: number;
    readonly judgment: CheckJudgment;
    readonly detailsJson?: string;
  } = () => ({
    afterMs: 100,
    judgment: good,
  });
  isUplinkLost = false;
  /** True if the spool's disk takes reports; those that it does not take are lost with the process. */
  takesReports = true;
  durable = 0;
  /** Server time minus this machine's. */
  offsetMs = 0;
  clockSync = new ClockSync(this.clock);
  schedule: Schedule;
  #file = new MemoryFile({ ...emptySchedule, reportedMs: new Map() });
  /** Number of processes that started or were killed: events of those before the newest are ignored. */
  #processes = 0;

  constructor({ isTimeKnown = true }: { readonly isTimeKnown?: boolean } = {}) {
    if (isTimeKnown) this.exchange();
    this.schedule = this.#open();
    this.schedule.start();
  }

  get serverNow(): number {
    return this.clock.now() + this.offsetMs;
  }

  /** Compares clocks with the control plane. */
  exchange(): void {
    const atMs = this.clock.monotonicMs();
    const at = this.serverNow;
    this.clockSync.add({ sentMs: atMs, receivedMs: atMs, serverReceivedAt: at, serverSentAt: at });
  }

  /** Server time is set. */
  step(byMs: number): void {
    this.offsetMs += byMs;
    this.exchange();
  }

  /** Lets time pass in small pieces, so that results are received in between. */
  async pass(ms: number, pieceMs = 500): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= pieceMs) {
      this.clock.advance(Math.min(pieceMs, leftMs));
      await settle();
    }
  }

  /** Ends the process politely, and lets time pass before the next one begins. */
  async restart(awayMs: number): Promise<void> {
    const closed = this.schedule.close(2000);
    await this.pass(2000);
    await closed;
    await this.pass(awayMs, Math.max(500, awayMs));
    await this.#begin();
  }

  /** The disk has what is to be kept. */
  keep(): void {
    this.#file.flush();
  }

  /** Ends the process without a word: the next one has what was kept, and the spool. */
  async kill(awayMs: number): Promise<void> {
    await this.#killWith(this.#file.stored, awayMs);
  }

  /** The same, and nothing had been kept. */
  async killBare(awayMs: number): Promise<void> {
    await this.#killWith(emptySchedule, awayMs);
  }

  /** Ends the process at once. */
  async end(): Promise<void> {
    const closed = this.schedule.close(0);
    this.clock.advance(0);
    await closed;
  }

  /** Slot times of a monitor in the order of their reports. */
  slotsOf(id: string, intervalMs: number): number[] {
    return this.reports
      .filter(({ body }) => body.monitor_id === id)
      .flatMap((report) => {
        if (report.kind === 'check') return [report.body.slot_ms];
        const { first_slot_ms, count } = report.body;
        return Array.from({ length: count }, (_, index) => first_slot_ms + index * intervalMs);
      });
  }

  async #killWith(stored: StoredSchedule, awayMs: number): Promise<void> {
    this.#processes += 1;
    await this.pass(awayMs, Math.max(500, awayMs));
    const bodies = this.reports.map(({ body }) => body);
    this.#file = new MemoryFile(withReported(stored, bodies, NODE_ID));
    await this.#begin();
  }

  async #begin(): Promise<void> {
    this.clockSync = new ClockSync(this.clock);
    this.exchange();
    this.schedule = this.#open();
    this.schedule.start();
    await settle();
  }

  #open(): Schedule {
    this.#processes += 1;
    const process = this.#processes;
    this.#file = new MemoryFile(this.#file.stored);
    const options: ScheduleOptions = {
      nodeId: NODE_ID,
      measuring: { check: (job) => (process === this.#processes ? this.#check(job) : never) },
      spool: { append: (lane, payload) => (process === this.#processes ? this.#append(lane, payload) : unheard) },
      clockSync: this.clockSync,
      clock: this.clock,
      uplink: { isLost: async () => this.isUplinkLost },
      file: this.#file,
      stored: this.#file.stored,
      log: pino({ level: 'warn' }, { write: (line) => this.warnings.push(JSON.parse(line)) }),
      onDurable: () => {
        this.durable += 1;
      },
    };
    return new Schedule(options);
  }

  #check(job: CheckJob): Promise<CheckMeasurement> {
    this.jobs.push(job);
    const { afterMs, judgment, detailsJson = null } = this.answer(job);
    const startedAt = this.clock.now();
    return new Promise((resolve) => {
      const answer = () => resolve({ id: job.id, judgment, detailsJson, startedAt, loopLagMs: 1, isDisturbed: false });
      this.clock.after(afterMs, answer);
    });
  }

  #append(lane: Lane, payload: Uint8Array) {
    if (lane !== 'check') throw new Error(`a report in lane "${lane}"`);
    if (!this.takesReports) return { sequence: 0, durable: never };
    const { kind, resultJson, detailsJson } = decodeResult(payload);
    this.reports.push({ kind, body: JSON.parse(Buffer.from(resultJson).toString()) } as Reported);
    this.details.push(Buffer.from(detailsJson).toString());
    return { sequence: this.reports.length, durable: Promise.resolve() };
  }
}
