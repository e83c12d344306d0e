import type { Clock } from '@vantage/shared/clock.js';
import {
  type AgentFrame,
  type DecodedServerFrame,
  type Lane,
  laneName,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import type { Logger } from 'pino';
import type { Spool } from '../spool/spool.js';
import { LaneSender } from './lane-sender.js';

/** Greatest number of refused results of an acknowledgement that are named; the others are counted. */
const NAMED_REJECTS = 5;

interface LaneDeliveryOptions {
  readonly spool: Spool;
  readonly clock: Clock;
  readonly log: Logger;
  /** Resolves when there is room for more. */
  readonly send: (frame: AgentFrame) => Promise<void>;
}

/** Delivery of the spool over one link: a sender for each lane, within the credits of the control plane. */
export class LaneDelivery {
  readonly #options: LaneDeliveryOptions;
  #senders: Record<Lane, LaneSender> | null = null;
  #windows: Record<Lane, number> = { task: 0, check: 0 };

  constructor(options: LaneDeliveryOptions) {
    this.#options = options;
  }

  /** Rows of each lane that may be in flight. */
  get windows(): Readonly<Record<Lane, number>> {
    return this.#windows;
  }

  /** Sent and not acknowledged. */
  get inFlightBytes(): number {
    return lanes.reduce((sum, lane) => sum + (this.#senders?.[lane].inFlightBytes ?? 0), 0);
  }

  /** Prepares to send the rows after these marks; `wake` sends them. */
  begin(marks: Readonly<Record<Lane, number>>, roundTripMs: number): void {
    const senderOf = (lane: Lane) => {
      const { spool, clock, log, send } = this.#options;
      const onReadFailed = (error: unknown) => log.error({ err: error, lane }, 'cannot read the spool, retrying');
      return new LaneSender({ lane, spool, clock, roundTripMs, send, onReadFailed }, marks[lane], this.#windows[lane]);
    };
    this.#senders = { task: senderOf('task'), check: senderOf('check') };
  }

  /** Results joined a lane. */
  wake(lane: Lane): void {
    this.#senders?.[lane].wake();
  }

  /** Credits may come while the welcome is still being worked on. */
  setWindows(credits: readonly [Lane, number][]): void {
    for (const [lane, rows] of credits) {
      this.#windows[lane] = rows;
      this.#senders?.[lane].setWindow(rows);
    }
  }

  /** @throws MalformedFrameError before anything can have been sent */
  acknowledged({ lane: code, epoch, mark, rejects, rewind }: NonNullable<DecodedServerFrame['ack']>): void {
    const { spool, log } = this.#options;
    const lane = laneName(code);
    if (rejects.length > 0) {
      const some = rejects.slice(0, NAMED_REJECTS);
      log.warn({ lane, rows: rejects.length, rejects: some }, 'control plane refused results');
    }
    if (this.#senders === null) throw new MalformedFrameError('acknowledgement before anything was sent');
    // an acknowledgement of an earlier epoch does not apply to the present numbers
    if (Buffer.from(epoch).equals(spool.epoch)) this.#senders[lane].acknowledged(mark, rewind);
  }

  /** Resolves when all that can be sent at once is sent. */
  async drained(): Promise<void> {
    await Promise.all(lanes.map((lane) => this.#senders?.[lane].drained()));
  }

  end(): void {
    for (const lane of lanes) this.#senders?.[lane].end();
  }
}
