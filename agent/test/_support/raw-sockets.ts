import { systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { type Answer, type FlowListener, type IcmpEngine, openIcmpEngine } from '../../src/net/icmp.js';

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

/** An engine that is closed with the test; a fault of it ends the process. */
export function anIcmpEngine(t: Test, onFault: (error: Error) => void = fail): IcmpEngine {
  const engine = openIcmpEngine({ clock: systemClock, onFault });
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
