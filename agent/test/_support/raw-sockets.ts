import { readdirSync, readlinkSync } from 'node:fs';
import { systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { type Answer, type FlowListener, type IcmpEngine, type IcmpKind, openIcmpEngine } from '../../src/net/icmp.js';

/** Both implementations of raw sockets, with the same promises. */
export const channelKinds = ['addon', 'raw-socket'] as const;

/** An engine that is closed with the test; a fault of it ends the process. */
export function anIcmpEngine(
  t: Test,
  { onFault = fail, kind }: { readonly onFault?: (error: Error) => void; readonly kind?: IcmpKind } = {},
): IcmpEngine {
  const engine = openIcmpEngine({ clock: systemClock, onFault, ...(kind === undefined ? {} : { kind }) });
  t.teardown(() => engine.close());
  return engine;
}

/** Keeps all that a flow hears. */
export class AnswerList implements FlowListener {
  readonly answers: Answer[] = [];
  readonly errors: Error[] = [];

  onAnswer(answer: Answer): void {
    this.answers.push(answer);
  }

  onSendError(_index: number, error: Error): void {
    this.errors.push(error);
  }
}

function fail(error: Error): void {
  throw error;
}

/** Sockets among the descriptors of this process; raw ones are not among Node's resources. */
export function openFileSockets(): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}
