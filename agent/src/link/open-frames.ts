import { type DecodedServerFrame, MalformedFrameError, UNKNOWN_BODY } from '@vantage/shared/protocol/codec.js';
import type { KeepAlive } from './keep-alive.js';
import type { KeyRotation } from './key-rotation.js';
import type { LaneDelivery } from './lane-delivery.js';
import { parseAssignments, parseCheckNow, parseConfig, parseCredits, parseJob } from './server-frames.js';
import type { SessionOptions } from './session-options.js';

/** Whom the words of the control plane concern. */
interface OpenFramesParts
  extends Pick<SessionOptions, 'jobs' | 'schedule' | 'upgrades' | 'log' | 'onLists' | 'onCanaries' | 'onControlUrls'> {
  readonly keepAlive: KeepAlive;
  readonly delivery: LaneDelivery;
  readonly rotation: KeyRotation;
}

/** Takes what the control plane says once the link is open, each word to whom it concerns. */
export class OpenFrames {
  readonly #parts: OpenFramesParts;
  #passedOver = 0;

  constructor(parts: OpenFramesParts) {
    this.#parts = parts;
  }

  /** @throws MalformedFrameError */
  take(frame: DecodedServerFrame): void {
    const { jobs, schedule, upgrades, keepAlive, delivery, rotation } = this.#parts;
    if (frame.job) {
      jobs.accept(parseJob(frame.job));
      keepAlive.jobCame();
    } else if (frame.cancel) jobs.cancel(frame.cancel.taskId);
    else if (frame.ack) delivery.acknowledged(frame.ack);
    else if (frame.credits) delivery.setWindows(parseCredits(frame.credits.credits));
    else if (frame.heartbeat) keepAlive.receive(frame.heartbeat);
    else if (frame.config) this.configure(frame.config);
    else if (frame.assignments) schedule.take(parseAssignments(frame.assignments));
    else if (frame.checkNow) schedule.checkNow(parseCheckNow(frame.checkNow));
    else if (frame.rotateKey) rotation.asked(frame.rotateKey);
    else if (frame.keyRotated) rotation.answered(frame.keyRotated);
    else if (frame.upgrade) upgrades.asked(frame.upgrade);
    else if (frame.body === UNKNOWN_BODY) this.#passOver();
    else throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
  }

  /** With the welcome, and whenever it changes. @throws MalformedFrameError */
  configure(frame: NonNullable<DecodedServerFrame['config']>): void {
    const { onLists, onCanaries, onControlUrls, schedule, keepAlive } = this.#parts;
    const config = parseConfig(frame);
    onLists(config.lists);
    onCanaries(config.canaries);
    onControlUrls(config.controlUrls);
    schedule.setLeaseSeconds(config.leaseSeconds);
    keepAlive.setIntervals(config.intervals);
  }

  /** A newer control plane says things this build does not know; the first is told, then it is known that it does. */
  #passOver(): void {
    this.#passedOver += 1;
    if (this.#passedOver > 1) return;
    this.#parts.log.info('the control plane sends frames of a newer protocol: they are passed over');
  }
}
