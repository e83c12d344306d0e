import type { ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { PingIcmpError } from '@vantage/shared/probe-types/ping-reply.js';
import { abortable } from '../../net/abortable.js';
import { type Answer, type Flow, type FlowListener, type IcmpEngine, unreachableCode } from '../../net/icmp.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
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
  return abortable(context.signal, ({ resolve, reject }) => {
    const settle = () => {
      if (log.isSettled) resolve();
    };
    const listener = listenerOf(target, log, { settle, reject });
    const flow = icmp.openEcho({ target, payloadBytes: params.size, listener });
    const endRhythm = sendInRhythm(flow, log, { params, clock: context.clock, settle });
    return () => {
      endRhythm();
      flow.close();
    };
  });
}

/** Writes down what a flow hears. */
function listenerOf(
  target: ResolvedAddress,
  log: PacketLog,
  { settle, reject }: { readonly settle: () => void; readonly reject: (error: ProbeFailure) => void },
): FlowListener {
  return {
    onAnswer(answer) {
      if (answer.name === 'echo_reply') log.answer(answer.index, answer.rttMs, answer.ttl);
      else log.lose(answer.index, failureOf(answer), errorOf(answer));
      settle();
    },
    onSendError(seq, error) {
      const failure =
        socketFailure(error, `cannot send to ${target.address}`) ?? new ProbeFailure('internal', error.message);
      log.refuse(seq, failure);
      if (seq === 0) reject(failure);
      settle();
    },
  };
}

/** Sends one packet after the other, each with its own time to be answered. @returns calls all that is left of it off */
function sendInRhythm(
  flow: Flow,
  log: PacketLog,
  {
    params,
    clock,
    settle,
  }: {
    readonly params: ProbeSpecs['ping']['params'];
    readonly clock: ProbeContext['clock'];
    readonly settle: () => void;
  },
): () => void {
  const timers: (() => void)[] = [];
  const expire = (seq: number) => {
    log.lose(seq, null);
    settle();
  };
  const sendFrom = (seq: number) => {
    log.markSent(seq);
    flow.send(seq, params.ttl);
    // a process that was busy runs its timers first: after one more turn, replies that arrived in time have been read
    timers.push(clock.after(params.timeout_ms, () => timers.push(clock.after(0, () => expire(seq)))));
    if (seq + 1 < params.count) timers.push(clock.after(params.interval_ms, () => sendFrom(seq + 1)));
  };
  sendFrom(0);
  return () => {
    for (const cancel of timers) cancel();
  };
}

function failureOf({ name, from }: Answer): ProbeFailure {
  return new ProbeFailure(unreachableCode(name) ?? 'no_reply', `${from} answered "${name}"`);
}

function errorOf({ name, from, type, code }: Answer): PingIcmpError | null {
  return type === null || code === null ? null : { ip: from, name, type, code };
}
