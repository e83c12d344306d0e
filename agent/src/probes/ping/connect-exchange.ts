import { setMaxListeners } from 'node:events';
import { delay } from '@vantage/shared/clock.js';
import type { ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import { formatEndpoint } from '../../net/endpoint.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import type { PacketLog } from './packet-log.js';

/**
 * Opens and closes TCP connections in rhythm, sending nothing, and logs how long each took; a refused one is lost.
 * @throws the signal's reason
 */
export async function exchangeConnects(
  port: number,
  target: ResolvedAddress,
  log: PacketLog,
  { params, context }: { readonly params: ProbeSpecs['ping']['params']; readonly context: ProbeContext },
): Promise<void> {
  // every connect adds a listener for the abort, and if timeouts are longer than intervals, all of them exist at once
  setMaxListeners(0, context.signal);
  const open: Promise<void>[] = [];
  for (let seq = 0; seq < params.count; seq += 1) {
    log.markSent(seq);
    open.push(logConnect(seq, log, () => connectTime(port, target, params.timeout_ms, context)));
    if (seq + 1 < params.count) await delay(context.clock, params.interval_ms, context.signal);
  }
  await Promise.all(open);
  context.signal.throwIfAborted();
}

async function logConnect(seq: number, log: PacketLog, connect: () => Promise<number>): Promise<void> {
  try {
    log.answer(seq, await connect(), null);
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    log.lose(seq, error);
  }
}

async function connectTime(
  port: number,
  target: ResolvedAddress,
  timeoutMs: number,
  { clock, signal }: ProbeContext,
): Promise<number> {
  const endpoint = formatEndpoint({ address: target.address, port });
  const reason = () => new ProbeFailure('tcp_timeout', `no response from ${endpoint} within ${timeoutMs} ms`);
  const connection = await within({ clock, ms: timeoutMs, reason }, signal, (inner) =>
    connectTcp({ addresses: [target], port, signal: inner, clock }),
  );
  connection.socket.destroy();
  return connection.connectMs;
}
