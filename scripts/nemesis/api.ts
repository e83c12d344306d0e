import { Agent, request } from 'undici';

/** Response of the API. */
export interface Answer {
  readonly status: number;
  /** Data of the envelope; null when there is none. */
  readonly data: unknown;
  /** Code of the envelope's error, or null. */
  readonly code: string | null;
  /** Details of that error, for a reader of a refusal that was not expected; null where there are none. */
  readonly details: unknown;
  /** Retry-After in seconds; null where there is none. */
  readonly retryAfterSeconds: number | null;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

/** The API at any replica, with an admin's token. */
export class Api {
  readonly #agent = new Agent({ connect: { timeout: 3_000 }, keepAliveTimeout: 2_000, connections: 128 });

  constructor(private readonly token: string) {}

  /** The answer, or null when there is none: no one there, or nothing in time. */
  async call(
    url: string,
    { method = 'GET', path, body, idempotencyKey, timeoutMs = 10_000 }: Call,
  ): Promise<Answer | null> {
    try {
      const answer = await request(new URL(path, url), {
        method,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const envelope = parseEnvelope(await answer.body.text());
      return {
        status: answer.statusCode,
        data: envelope.data ?? null,
        code: envelope.error?.code ?? null,
        details: envelope.error?.details ?? null,
        retryAfterSeconds: Number(answer.headers['retry-after'] ?? Number.NaN) || null,
      };
    } catch {
      return null;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function parseEnvelope(text: string): { data?: unknown; error?: { code?: string; details?: unknown } } {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}

/** Text about an answer that was not expected: status, code and details. */
export function wordsOf(answer: Answer | null): string {
  if (answer === null) return 'no answer';
  return [answer.status, answer.code, answer.details === null ? null : JSON.stringify(answer.details)]
    .filter((part) => part !== null)
    .join(' ');
}
