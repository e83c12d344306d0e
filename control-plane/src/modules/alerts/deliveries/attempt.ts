import { createHmac } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { type Outbound, OutboundError, type OutboundResponse, SecretMask } from '../../../deliver/index.js';
import type { DirectMail } from '../../../mail/index.js';
import type { Attempt, Outcome } from '../types/channel-type.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import { bucketsOf, type KeyedBucket } from './buckets.js';
import type { AttemptOutcome } from './counts.js';
import type { AttemptEntry, DeliveryRow } from './delivery.js';
import type { Destination, Destinations } from './destination.js';
import { storable } from './masking.js';
import { openMessage } from './message-seal.js';
import { type ShownRequest, secretsOfLinks, shownMail, shownRequest } from './shown-request.js';

/** Time for one request of an attempt. */
const REQUEST_MS = 10_000;
/** Time for a whole attempt: less than a lease. */
const ATTEMPT_MS = 45_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ERROR_LENGTH = 500;
const MAX_ID_LENGTH = 300;
const MAX_SHOWN_RESPONSE = 4_096;

/** Parts that attempts use. */
export interface AttemptParts {
  readonly types: ChannelTypes;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly mailer: { sendAtOnce(mail: DirectMail, signal: AbortSignal): Promise<string> };
  readonly destinations: Pick<Destinations, 'unsubscribeUrl' | 'stopUrl'>;
}

/** Result of an attempt. */
export interface AttemptReport {
  readonly outcome: Outcome;
  readonly entry: AttemptEntry;
  /** True if the request was sent, and its response is unknown. */
  readonly mayHaveArrived: boolean;
  /** Last request of the attempt; null if there was none, or it has the code of a verification. */
  readonly request: ShownRequest | null;
}

/** Sends a message once. Never rejects. `firstProviderId`: as in Attempt. */
export async function attemptDelivery(
  parts: AttemptParts,
  row: DeliveryRow,
  {
    destination,
    firstProviderId,
    signal,
  }: {
    readonly destination: Destination;
    readonly firstProviderId: string | null;
    readonly signal: AbortSignal;
  },
): Promise<AttemptReport> {
  const { clock } = parts;
  const startedMs = clock.monotonicMs();
  const at = new Date(clock.now()).toISOString();
  const exchange = new Exchange(parts, row, destination, signal);
  const outcome = await exchange.run(firstProviderId);
  const { response, mayHaveArrived, request } = exchange;
  const secrets = SecretMask.of(exchange.secrets);
  const mask = (text: string, length: number) => storable(secrets.apply(text).slice(0, length));
  return {
    outcome:
      outcome.kind === 'accepted'
        ? {
            ...outcome,
            providerId: outcome.providerId === null ? null : mask(outcome.providerId, MAX_ID_LENGTH),
          }
        : { ...outcome, error: mask(outcome.error, MAX_ERROR_LENGTH) },
    mayHaveArrived,
    request,
    entry: {
      at,
      duration_ms: Math.round(clock.monotonicMs() - startedMs),
      outcome: outcomeName(outcome, mayHaveArrived),
      status_code: response?.status ?? null,
      error: outcome.kind === 'accepted' ? null : mask(outcome.error, MAX_ERROR_LENGTH),
      response: response === null ? null : mask(response.excerpt, MAX_SHOWN_RESPONSE),
    },
  };
}

function outcomeName({ kind }: Outcome, mayHaveArrived: boolean): AttemptOutcome {
  return kind === 'retry' && mayHaveArrived ? 'unknown' : kind;
}

/** One attempt, with what it learns of its requests. */
class Exchange {
  response: OutboundResponse | null = null;
  mayHaveArrived = false;
  request: ShownRequest | null = null;
  /** Parts of the links in the message. */
  #linkSecrets: readonly string[] = [];
  /** Those of the channel, and those that its type obtained meanwhile. */
  secrets: readonly string[];

  constructor(
    private readonly parts: AttemptParts,
    private readonly row: DeliveryRow,
    private readonly destination: Destination,
    private readonly stopped: AbortSignal,
  ) {
    this.secrets = destination.secrets;
  }

  async run(firstProviderId: string | null): Promise<Outcome> {
    const type = findType(this.parts.types, this.row.type);
    if (type === null) return { kind: 'refused', of: 'channel', error: `there is no type "${this.row.type}"` };
    const { clock } = this.parts;
    const giveUp = new AbortController();
    const abort = () => giveUp.abort();
    const cancel = clock.after(ATTEMPT_MS, abort);
    // AbortSignal.any keeps 50 bytes for each attempt, as long as the sender's signal exists (measured 2026-11, Node 20)
    this.stopped.addEventListener('abort', abort, { once: true });
    if (this.stopped.aborted) abort();
    try {
      return await type.deliver(this.#attempt(firstProviderId, giveUp.signal), this.row.is_plain);
    } catch (error) {
      return outcomeOfError(error);
    } finally {
      cancel();
      this.stopped.removeEventListener('abort', abort);
    }
  }

  #attempt(firstProviderId: string | null, signal: AbortSignal): Attempt<never> {
    const { clock, sealer, destinations } = this.parts;
    const { channel_id: channelId, recipient } = this.row;
    const message = openMessage(this.row.message, sealer);
    const unsubscribeUrl = recipient === null ? undefined : destinations.unsubscribeUrl(channelId, recipient);
    const stopUrl =
      recipient === null || message.monitor === undefined
        ? undefined
        : destinations.stopUrl(channelId, recipient, message.monitor);
    const urls = [...message.links.map(({ url }) => url), unsubscribeUrl ?? '', stopUrl ?? ''];
    this.#linkSecrets = secretsOfLinks(urls);
    return {
      message,
      config: this.destination.config as never,
      recipient,
      locale: message.locale,
      nowMs: clock.now(),
      firstProviderId,
      send: (request) => this.#send(request, signal),
      mail: (mail) => this.#mail(mail, signal),
      ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
      ...(stopUrl === undefined ? {} : { stopUrl }),
    };
  }

  async #send(request: Parameters<Attempt['send']>[0], signal: AbortSignal): Promise<OutboundResponse> {
    this.secrets = [...this.secrets, ...(request.secrets ?? [])];
    this.response = null;
    this.mayHaveArrived = false;
    this.#note(() => shownRequest(request, [...this.secrets, ...this.#linkSecrets]));
    try {
      this.response = await this.parts.outbound.send({
        ...request,
        deadlineMs: REQUEST_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        account: this.destination.ownerId,
        secrets: this.secrets,
        signal,
      });
      return this.response;
    } catch (error) {
      this.mayHaveArrived = !(error instanceof OutboundError) || error.mayHaveArrived;
      throw error;
    }
  }

  async #mail(mail: Parameters<NonNullable<Attempt['mail']>>[0], signal: AbortSignal): Promise<string> {
    const { id, recipient, created_at: createdAt } = this.row;
    if (recipient === null) throw new RangeError('a mail needs a recipient');
    const { locale } = openMessage(this.row.message, this.parts.sealer);
    const mark = { ...mail, key: id, to: recipient, locale, queuedAtMs: createdAt.getTime() };
    this.#note(() => shownMail(mark, [...this.secrets, ...this.#linkSecrets]));
    return unlessAborted(signal, this.parts.mailer.sendAtOnce(mark, signal));
  }

  /** The code of a verification is for its recipient alone. */
  #note(show: () => ShownRequest): void {
    if (this.row.kind !== 'verification') this.request = show();
  }
}

/** Settles with `promise`, unless the signal is aborted first: not every part of a mail transport listens to it. */
async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(new Error('no response of the mail server in time'));
    signal.addEventListener('abort', () => reject(new Error('no response of the mail server in time')), { once: true });
  });
  return Promise.race([promise, aborted]);
}

function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof OutboundError)) return { kind: 'retry', error: nameOf(error), retryAfterMs: null };
  // the target policy forbids the address
  if (error.reason === 'refused') return { kind: 'refused', of: 'channel', error: error.message };
  return { kind: 'retry', error: error.message, retryAfterMs: null };
}

/** Name of an error alone: its message may show the request. */
function nameOf(error: unknown): string {
  return error instanceof Error ? `the attempt failed (${error.name})` : 'the attempt failed';
}

/** Buckets of a delivery; their keys show neither channel, credential nor recipient. `key`: of the installation. */
export function bucketsOfDelivery(
  { channel_id: channelId, type: typeName, recipient }: Pick<DeliveryRow, 'channel_id' | 'type' | 'recipient'>,
  { config, maxPerMinute }: Pick<Destination, 'config' | 'maxPerMinute'>,
  { types, key }: { readonly types: ChannelTypes; readonly key: Uint8Array },
): KeyedBucket[] {
  const type = findType(types, typeName);
  if (type === null) return [];
  const receiver = recipient === null ? '' : (type.limitedBy?.(recipient) ?? recipient);
  const subjects = { channel: channelId, credential: type.credential(config as never), recipient: receiver };
  return bucketsOf(type.buckets, maxPerMinute, (of) =>
    createHmac('sha256', key)
      .update(JSON.stringify([typeName, of, subjects[of]]))
      .digest('base64url'),
  );
}
