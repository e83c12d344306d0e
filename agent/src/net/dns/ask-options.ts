import type { Clock } from '@vantage/shared/clock.js';
import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import type { QueryBudget } from '../query-budget.js';
import type { AnswerWatch } from './answer-watch.js';
import type { DnsMessage } from './message.js';

export type DnsTransport = 'udp' | 'tcp' | 'dot' | 'doh';

/** An answer and how it came. */
export interface DnsReply {
  readonly message: DnsMessage;
  readonly transport: DnsTransport;
  /** Size of the message, without the length prefix of TCP. */
  readonly bytes: number;
  /** The query that was answered, sent, to its answer, received: monotonic milliseconds, without any connecting. */
  readonly ms: number;
  /** The server repeated the question in another letter case than ours. */
  readonly isCaseFolded: boolean;
}

/** Progress of an exchange; values already recorded are kept when a later step fails. */
export interface Progress {
  reply: DnsReply | null;
  /** TCP handshake; null over UDP. */
  connectMs: number | null;
  tlsMs: number | null;
  tls: TlsReport | null;
  /** The server understands no EDNS: it was asked again without. */
  isWithoutEdns: boolean;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Every query that is sent is taken from it. */
  readonly budget: QueryBudget;
  /** Milliseconds after which an unanswered datagram is sent once more; null for never. */
  readonly resendAfterMs: number | null;
  /** Called when a datagram leaves. */
  readonly onSent?: ((atMs: number) => void) | undefined;
  /** Keeps datagram sockets open that brought an answer; without it they are closed at once. */
  readonly watch?: AnswerWatch;
}
