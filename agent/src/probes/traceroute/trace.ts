import type { Clock } from '@vantage/shared/clock.js';
import { abortable, type Settle } from '../../net/abortable.js';
import type { Answer, Flow, FlowListener, SendError } from '../../net/icmp.js';
import { socketFailure } from '../../net/socket-failure.js';
import { ProbeFailure } from '../failure.js';
import type { Path } from './path.js';

/** Between packets: a whole trace of 30 hops is on its way within half a second, and no router gets a burst. */
const paceMs = 5;
/** Packets waiting at once: all of a trace with the default parameters. */
const maxInFlight = 96;

/** Sends the packets of a path, not waiting for one hop before the next, and tells the path what comes back. */
export class Trace implements FlowListener {
  readonly #path: Path;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #timers: (() => void)[] = [];
  #settle: Settle<void> | null = null;

  constructor({ path, timeoutMs, clock }: { readonly path: Path; readonly timeoutMs: number; readonly clock: Clock }) {
    this.#path = path;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  /**
   * Runs until the path is known; `flow` reports to this trace and is closed by the caller.
   * @throws ProbeFailure where the very first packet cannot leave, or the signal's reason
   */
  follow(flow: Flow, signal: AbortSignal): Promise<void> {
    return abortable(signal, (settle) => {
      this.#settle = settle;
      this.#step(flow);
      return () => {
        for (const cancel of this.#timers) cancel();
      };
    });
  }

  onAnswer(answer: Answer): void {
    this.#path.record(answer);
    this.#finishIfSettled();
  }

  onSendError(index: number, error: SendError): void {
    const failure = socketFailure(error, 'cannot send') ?? new ProbeFailure('internal', error.message);
    if (index === 0) this.#settle?.reject(failure);
    this.#giveUp(index);
  }

  #step(flow: Flow): void {
    const isFull = this.#path.inFlight >= maxInFlight;
    const probe = isFull ? null : this.#path.takeNext();
    if (probe === null && !isFull) return;
    if (probe !== null) {
      flow.send(probe.index, probe.ttl);
      this.#timers.push(this.#clock.after(this.#timeoutMs, () => this.#giveUp(probe.index)));
    }
    this.#timers.push(this.#clock.after(paceMs, () => this.#step(flow)));
  }

  #giveUp(index: number): void {
    this.#path.giveUp(index);
    this.#finishIfSettled();
  }

  #finishIfSettled(): void {
    if (this.#path.isSettled) this.#settle?.resolve();
  }
}
