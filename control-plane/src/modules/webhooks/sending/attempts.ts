import type { Clock } from '@vantage/shared/clock.js';
import { toStorableText } from '@vantage/shared/text.js';
import { judge, type Outbound, OutboundError, type OutboundResponse, SecretMask } from '../../../deliver/index.js';
import type { EndpointSeals } from '../endpoints/endpoint-seals.js';
import type { EndpointRow } from '../endpoints/endpoint-store.js';
import { formatSecret } from '../endpoints/secret.js';
import { bodyOf, type PayloadForm, type WebhookEvent } from '../kinds/payload.js';
import { judgeReply, type Reply, type Result } from './outcome.js';
import { signedHeaders } from './signature.js';

/** Deadline of one attempt. */
const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_SHOWN_HEADERS = 30;
const MAX_HEADER_NAME = 128;
const MAX_HEADER_VALUE = 256;

/** Columns of an endpoint that an attempt needs. */
export type Receiver = Pick<
  EndpointRow,
  'owner_id' | 'url' | 'sealed_headers' | 'sealed_secret' | 'sealed_previous_secret' | 'previous_secret_expires_at'
>;

/** Event to be sent once. */
export interface Message {
  readonly receiver: Receiver;
  readonly event: WebhookEvent;
  readonly payload: PayloadForm;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Endpoint whose attempts share connections; absent: a new connection. */
  readonly endpointId?: string;
}

interface AttemptsOptions {
  readonly outbound: Pick<Outbound, 'send'>;
  readonly seals: EndpointSeals;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Makes single attempts to send signed events to endpoints. */
export class Attempts {
  constructor(private readonly options: AttemptsOptions) {}

  /** Makes one attempt. A failure is a result; it throws only when `signal` is aborted or the seals are broken. */
  async make({ receiver, event, payload, attempt, endpointId }: Message, signal?: AbortSignal): Promise<Result> {
    const { outbound, seals, clock, random } = this.options;
    const atMs = clock.now();
    const startedMs = clock.monotonicMs();
    const body = bodyOf(event, payload);
    const signing = seals.openSecrets(receiver, atMs);
    const own = seals.openHeaders(receiver);
    const secrets = [...Object.values(own), ...signing.map(formatSecret)];
    const headers = {
      ...own,
      'content-type': 'application/json',
      ...signedHeaders({ id: event.id, body, atMs }, signing),
    };
    const request = { method: 'POST', url: receiver.url, headers, body, deadlineMs: DEADLINE_MS, secrets } as const;
    const at = new Date(atMs).toISOString();
    try {
      const response = await outbound.send({
        ...request,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        account: receiver.owner_id,
        ...(endpointId === undefined ? {} : { keptFor: endpointId }),
        ...(signal === undefined ? {} : { signal }),
      });
      const outcome = judgeReply(replyOf(response, clock.now()), { attempt, random: random() });
      const shown = { response: toStorableText(response.excerpt), response_headers: shownHeaders(response, secrets) };
      const duration_ms = Math.round(response.durationMs);
      return { attempt: { at, duration_ms, status_code: response.status, error: outcome.error, ...shown }, outcome };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const outcome = judgeReply({ kind: 'none', message: error.message }, { attempt, random: random() });
      const duration_ms = Math.round(clock.monotonicMs() - startedMs);
      const shown = { response: null, response_headers: {} };
      return {
        attempt: { at, duration_ms, status_code: null, error: toStorableText(error.message), ...shown },
        outcome,
      };
    }
  }
}

function replyOf({ status, headers }: OutboundResponse, nowMs: number): Reply {
  const verdict = judge(status, headers, nowMs);
  const command = headers['webhook-delivery'];
  return {
    kind: 'response',
    status,
    isSuccess: verdict.ok,
    retryAfterMs: verdict.ok ? null : verdict.retryAfterMs,
    command: typeof command === 'string' ? command : null,
  };
}

function shownHeaders({ headers }: OutboundResponse, secrets: readonly string[]): Record<string, string> {
  const shown = Object.entries(headers).slice(0, MAX_SHOWN_HEADERS);
  const mask = SecretMask.of(secrets);
  return Object.fromEntries(
    shown.map(([name, value]) => [
      toStorableText(mask.apply(name).slice(0, MAX_HEADER_NAME)),
      toStorableText(mask.apply(String(value)).slice(0, MAX_HEADER_VALUE)),
    ]),
  );
}
