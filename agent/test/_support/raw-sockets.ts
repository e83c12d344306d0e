import { readdirSync, readlinkSync } from 'node:fs';
import { systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { type Answer, type FlowListener, type IcmpEngine, type IcmpKind, openIcmpEngine } from '../../src/net/icmp.js';

/** Why there are no raw sockets here, for a test's `skip`; false where there are, and under CI, where nothing is skipped. */
export function missingForRawSockets(): string | false {
  if (process.env['CI'] === 'true') return false;
  try {
    openIcmpEngine({ clock: systemClock, onFault: fail }).close();
    return false;
  } catch {
    return 'needs root or CAP_NET_RAW';
  }
}

/** Both ways to a raw socket: what holds for one holds for the other. */
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

/** Sockets among the descriptors of this process; raw ones are none of Node's resources. */
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
