import type { Clock } from '@vantage/shared/clock.js';
import { isTooEarly } from '@vantage/shared/probe-types/dns-pollution.js';
import { ProbeFailure } from '../../probes/failure.js';
import { within } from '../deadline.js';
import { noProgress } from './ask.js';
import type { DnsServer } from './dns-server.js';
import { connectServer } from './stream.js';

/** Below the second after which a lost SYN is sent again: a connect that took longer says nothing about the path. */
const MAX_RTT_MS = 500;
/** Connects when the first one makes the answer look too early; the shortest counts. */
const CONFIRMATIONS = 2;

/**
 * The way to a server and back, in milliseconds: how long a TCP handshake takes, or its refusal. It is measured again
 * if it makes the response look too early, because one slow handshake proves nothing. Null where nothing came back in
 * half a second.
 */
export async function measureResolverRtt(
  server: DnsServer,
  answerMs: number,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<number | null> {
  let shortest = await handshakeMs(server, signal, clock);
  for (
    let i = 0;
    i < CONFIRMATIONS && isTooEarly({ transport: 'udp', query_ms: answerMs, resolver_rtt_ms: shortest });
    i += 1
  ) {
    const again = await handshakeMs(server, signal, clock);
    if (again !== null && again < (shortest ?? again)) shortest = again;
  }
  return shortest;
}

async function handshakeMs(server: DnsServer, signal: AbortSignal, clock: Clock): Promise<number | null> {
  const startedAt = clock.monotonicMs();
  const reason = () => new ProbeFailure('timeout', 'no handshake in time');
  try {
    await within({ clock, ms: MAX_RTT_MS, reason }, signal, async (limited) => {
      const socket = await connectServer(server, { signal: limited, clock }, noProgress());
      socket.destroy();
    });
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    if (error.code !== 'tcp_refused') return null;
  }
  return clock.monotonicMs() - startedAt;
}
