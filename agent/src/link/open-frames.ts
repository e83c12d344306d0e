import { type DecodedServerFrame, MalformedFrameError, UNKNOWN_BODY } from '@vantage/shared/protocol/codec.js';
import type { KeepAlive } from './keep-alive.js';
import type { KeyRotation } from './key-rotation.js';
import type { LaneDelivery } from './lane-delivery.js';
import { parseAssignments, parseCheckNow, parseConfig, parseCredits, parseJob } from './server-frames.js';
import type { SessionOptions } from './session-options.js';

/** Recipients of the control plane's frames. */
interface OpenFramesParts
  extends Pick<SessionOptions, 'jobs' | 'schedule' | 'upgrades' | 'log' | 'onLists' | 'onCanaries' | 'onControlUrls'> {
  readonly keepAlive: KeepAlive;
  readonly delivery: LaneDelivery;
  readonly rotation: KeyRotation;
}

/** Dispatches the control plane's frames on an open link to their recipients. */
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

  /** Applies the configuration, which comes with the welcome and whenever it changes. @throws MalformedFrameError */
  configure(frame: NonNullable<DecodedServerFrame['config']>): void {
    const { onLists, onCanaries, onControlUrls, schedule, keepAlive } = this.#parts;
    const config = parseConfig(frame);
    onLists(config.lists);
    onCanaries(config.canaries);
    onControlUrls(config.controlUrls);
    schedule.setLeaseSeconds(config.leaseSeconds);
    keepAlive.setIntervals(config.intervals);
  }

  /** A newer control plane sends frames that this build does not know; only the first is logged. */
  #passOver(): void {
    this.#passedOver += 1;
    if (this.#passedOver > 1) return;
    this.#parts.log.info('control plane sends frames of a newer protocol, ignoring them');
  }
}
