import type { Clock } from '@vantage/shared/clock.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import type { Logger } from 'pino';
import type { ClockSync } from '../link/clock-sync.js';
import { SpoolRowDroppedError } from '../spool/errors.js';
import type { Spool } from '../spool/spool.js';
import type { SlotReport } from './reports.js';
import { UnkeptReports } from './unkept-reports.js';

export interface SlotReportsOptions<M> {
  readonly spool: Pick<Spool, 'append'>;
  readonly clockSync: Pick<ClockSync, 'estimate'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A report is durable in the spool. */
  readonly onDurable: () => void;
  /** The disk has a report about a monitor, or the note that it was dropped. */
  readonly onKept: (monitor: M) => void;
}

/** Hands reports over to the spool, and knows which of them the disk does not have yet. */
export class SlotReports<M extends object> {
  readonly #options: SlotReportsOptions<M>;
  readonly #unkept = new UnkeptReports<M>();
  /** Callbacks for when the disk has the report of what the spool had to drop. */
  readonly #dropped: (() => void)[] = [];

  constructor(options: SlotReportsOptions<M>) {
    this.#options = options;
  }

  /** Oldest reported slot of a monitor that does not count as done yet, or null. */
  oldestUnkept(monitor: M): number | null {
    return this.#unkept.oldest(monitor);
  }

  /** Resolves when the disk has all reports, or after `timeoutMs`. */
  async kept(timeoutMs: number): Promise<void> {
    await this.#unkept.none(this.#options.clock, timeoutMs);
  }

  /**
   * Reports slots from `firstSlot` on; they count as done once the disk has the report, or the note that it was
   * dropped.
   */
  add(monitor: M, firstSlot: number, report: SlotReport): void {
    const isKept = this.#unkept.add(monitor, firstSlot);
    const keep = () => {
      isKept();
      this.#options.onKept(monitor);
    };
    void this.#append(report)?.then(
      () => {
        keep();
        for (const keepDropped of this.#dropped.splice(0)) keepDropped();
        this.#options.onDurable();
      },
      (error: unknown) => {
        // stored with the next row that the disk accepts
        if (error instanceof SpoolRowDroppedError) this.#dropped.push(keep);
      },
    );
  }

  /** Reports a check that belongs to no slot. */
  addOutsideGrid(report: SlotReport): void {
    void this.#append(report)?.then(this.#options.onDurable, () => undefined);
  }

  /** Resolves when it is durable; null if the spool is closed. */
  #append({ kind, body, detailsJson }: SlotReport): Promise<void> | null {
    const { spool, clock, clockSync, log } = this.#options;
    const { offsetMs, uncertaintyMs } = clockSync.estimate();
    const payload = encodeResult({
      kind,
      resultJson: Buffer.from(JSON.stringify(body)),
      ...(detailsJson === null ? {} : { detailsJson: Buffer.from(detailsJson) }),
      finishedAtMs: clock.now(),
      clockOffsetMs: offsetMs,
      uncertaintyMs,
    });
    try {
      return spool.append('check', payload).durable;
    } catch (error) {
      log.warn({ err: error, monitorId: body.monitor_id }, 'check arrived after the spool was closed');
      return null;
    }
  }
}
