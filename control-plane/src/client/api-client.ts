import { request } from 'undici';
import type { ServerEvent } from '../http/route.js';

/** Limit that was reached. */
interface RefusedAllowance {
  readonly limit: number;
  /** End of its window. */
  readonly resetsAt: string;
  /** Length of its windows; null if it has none of one length. */
  readonly windowSeconds: number | null;
}

/** Refusal by the API; `code` as in its error table. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, readonly { readonly message: string }[]>>,
    /** Null if the refusal names no limit. */
    readonly allowance: RefusedAllowance | null = null,
  ) {
    super(message);
  }
}

/** There is no Vantage API at that address, or it can't be reached. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';
}

interface Envelope {
  readonly data?: unknown;
  readonly meta?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: ApiRefusal['details'] };
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A thin client of the public API. */
export class ApiClient {
  constructor(private readonly options: { readonly url: string; readonly token: string | null }) {}

  /** Returns `data` of the response. @throws ApiRefusal, ApiUnreachable */
  async call<T>(method: Method, path: string, body?: object): Promise<T> {
    return (await this.#call(method, path, body)).data as T;
  }

  /** Returns `data` and `meta` of the response to a GET. @throws ApiRefusal, ApiUnreachable */
  async read<T, M>(path: string): Promise<{ readonly data: T; readonly meta: M }> {
    const { data, meta } = await this.#call('GET', path);
    return { data: data as T, meta: meta as M };
  }

  /** The events of a stream until it ends. @throws ApiRefusal, ApiUnreachable */
  async *events(path: string): AsyncGenerator<ServerEvent> {
    const { statusCode, body, headers } = await this.#request('GET', path);
    if (statusCode !== 200) {
      const envelope = parseEnvelope(await this.#reachable(body.text()), this.options.url);
      const error = envelope.error ?? { code: 'UNKNOWN', message: 'the stream was refused' };
      throw refusal(statusCode, error, headers);
    }
    let rest = '';
    body.setEncoding('utf8');
    try {
      for await (const chunk of body) {
        const blocks = (rest + String(chunk)).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = parseEvent(block);
          if (event) yield event;
        }
      }
    } catch (cause) {
      throw this.#unreachable(cause);
    }
  }

  async #call(method: Method, path: string, body?: object): Promise<Envelope> {
    const { statusCode, body: answer, headers } = await this.#request(method, path, body);
    const envelope = parseEnvelope(await this.#reachable(answer.text()), this.options.url);
    if (envelope.error) throw refusal(statusCode, envelope.error, headers);
    return envelope;
  }

  async #request(method: Method, path: string, body?: object) {
    const { url, token } = this.options;
    const answer = request(new URL(path, url), {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        'user-agent': 'vantage',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return this.#reachable(answer);
  }

  /** Awaits data of the connection, which may break at any byte. @throws ApiUnreachable */
  async #reachable<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (cause) {
      throw this.#unreachable(cause);
    }
  }

  #unreachable(cause: unknown): ApiUnreachable {
    const { message, code } = cause as { message?: string; code?: string };
    // an AggregateError of all addresses tried has no message
    return new ApiUnreachable(`no response from ${this.options.url}: ${message || code || String(cause)}`, { cause });
  }
}

/** One block of a text/event-stream; null for comments. @throws SyntaxError when its data is no JSON */
export function parseEvent(block: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const match = /^(event|id|data): ?(.*)$/.exec(line);
    if (match?.[1] !== undefined) fields.set(match[1], (fields.get(match[1]) ?? '') + match[2]);
  }
  const event = fields.get('event');
  const id = fields.get('id');
  if (event === undefined) return null;
  return { event, ...(id === undefined ? {} : { id }), data: JSON.parse(fields.get('data') ?? 'null') };
}

function parseEnvelope(text: string, url: string): Envelope {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // reported below
  }
  throw new ApiUnreachable(`${url} is not a Vantage API`);
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function refusal(status: number, error: NonNullable<Envelope['error']>, headers: Headers): ApiRefusal {
  return new ApiRefusal(status, error.code, error.message, error.details ?? {}, allowanceOf(headers));
}

function allowanceOf(headers: Headers): ApiRefusal['allowance'] {
  const { 'x-ratelimit-limit': limit, 'x-ratelimit-reset': resetsAt, 'x-ratelimit-window': length } = headers;
  if (typeof resetsAt !== 'string' || Number.isNaN(Date.parse(resetsAt))) return null;
  return { limit: Number(limit), resetsAt, windowSeconds: Number(length) || null };
}
