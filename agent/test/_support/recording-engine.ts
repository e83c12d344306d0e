import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { AnswerName, Flow, FlowListener, IcmpEngine } from '../../src/net/icmp.js';

/** An engine whose packets go nowhere and whose answers the test gives, so that it can hold the time between them. */
export class RecordingEngine implements IcmpEngine {
  readonly sent: { readonly index: number; readonly hopLimit: number; readonly atMs: number }[] = [];
  readonly kind = 'addon';
  /** Flow that each of them belonged to, in the order of opening, from 0. */
  readonly flows: number[] = [];
  listener: FlowListener | null = null;
  openFlows = 0;
  #opened = 0;

  constructor(readonly clock = new FakeClock()) {}

  supports(): boolean {
    return true;
  }

  openEcho({ listener }: { readonly listener: FlowListener }): Flow {
    this.listener = listener;
    this.openFlows += 1;
    const flow = this.#opened;
    this.#opened += 1;
    return {
      send: (index, hopLimit) => {
        this.flows.push(flow);
        this.sent.push({ index, hopLimit, atMs: this.clock.monotonicMs() });
        listener.onSent?.(index, this.clock.monotonicMs());
      },
      close: () => {
        this.openFlows -= 1;
      },
    };
  }

  async openUdp(options: { readonly listener: FlowListener }): Promise<Flow> {
    return this.openEcho(options);
  }

  async openTcp(options: { readonly listener: FlowListener }): Promise<Flow> {
    return this.openEcho(options);
  }

  /** `from` answers packet number `index`. */
  answer(index: number, rttMs: number, from: string, name: AnswerName = 'echo_reply'): void {
    const error = name === 'echo_reply' ? { type: null, code: null } : { type: 3, code: 1 };
    this.listener?.onAnswer({ index, rttMs, from, name, ...error, mpls: [], ttl: 64, isDuplicate: false });
  }

  close(): void {}
}
