import type { ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { abortable } from '../../net/abortable.js';
import { type Answer, type IcmpEngine, unreachableCode } from '../../net/icmp.js';
import type { ResolvedAddress } from '../../net/resolver.js';
import { socketFailure } from '../../net/socket-failure.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import type { PacketLog } from './packet-log.js';

/**
 * Sends echo requests in rhythm and logs what comes back; resolves with the last reply or its timeout.
 * @throws ProbeFailure where the very first packet cannot leave, or the signal's reason
 */
export function exchangeEchoes(
  icmp: IcmpEngine,
  target: ResolvedAddress,
  log: PacketLog,
  { params, context }: { readonly params: ProbeSpecs['ping']['params']; readonly context: ProbeContext },
): Promise<void> {
  const { clock, signal } = context;
  return abortable(signal, ({ resolve, reject }) => {
    const timers: (() => void)[] = [];
    const settle = () => {
      if (log.isSettled) resolve();
    };
    const flow = icmp.openEcho({
      target,
      payloadBytes: params.size,
      listener: {
        onAnswer(answer) {
          if (answer.name === 'echo_reply') log.answer(answer.index, answer.rttMs, answer.ttl);
          else log.lose(answer.index, failureOf(answer));
          settle();
        },
        onSendError(seq, error) {
          const failure =
            socketFailure(error, `cannot send to ${target.address}`) ?? new ProbeFailure('internal', error.message);
          log.refuse(seq, failure);
          if (seq === 0) reject(failure);
          settle();
        },
      },
    });
    const sendFrom = (seq: number) => {
      log.markSent(seq);
      flow.send(seq, params.ttl);
      timers.push(
        clock.after(params.timeout_ms, () => {
          log.lose(seq, null);
          settle();
        }),
      );
      if (seq + 1 < params.count) timers.push(clock.after(params.interval_ms, () => sendFrom(seq + 1)));
    };
    sendFrom(0);
    return () => {
      for (const cancel of timers) cancel();
      flow.close();
    };
  });
}

function failureOf({ name, from }: Answer): ProbeFailure {
  return new ProbeFailure(unreachableCode(name) ?? 'no_reply', `${from} answered "${name}"`);
}
