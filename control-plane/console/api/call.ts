import { signal } from '@preact/signals';
import type { Static, TSchema } from 'typebox';
import type { Pagination } from '../../src/http/route.js';
import { locale } from '../texts/locale.js';
import { Failure, failureOf, isSignedOut, NO_ANSWER } from './failure.js';
import { accessToken } from './session.js';
import { proveAgain } from './step-up.js';

/** Data of the answers of an operation, by the type of its route: `DataOf<typeof listMonitors>`. */
export type DataOf<R> = R extends { readonly replies: Readonly<Record<number, infer D extends TSchema>> }
  ? Static<D>
  : never;

/** Body of an operation, by the type of its route. */
export type BodyOf<R> = R extends { readonly body?: infer B extends TSchema } ? Static<B> : never;

type QueryValue = string | number | boolean | null | undefined | readonly string[];

export interface CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer<D> {
  readonly data: D;
  readonly status: number;
  readonly pagination: Pagination | null;
  readonly etag: string | null;
}

/** True while requests get no answer. */
export const isOffline = signal(false);

/** Attempts of a request that gets no answer, and the time between them in milliseconds. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** Calls an operation that reads: `get<typeof listMonitors>('/v1/monitors')`. @throws Failure */
export function get<R>(path: string, options: CallOptions = {}): Promise<Answer<DataOf<R>>> {
  return call('GET', path, options);
}

/** Calls an operation that acts. Sent again with the same Idempotency-Key, it acts once. @throws Failure */
export function act<R>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  options: CallOptions = {},
): Promise<Answer<DataOf<R>>> {
  return call(method, path, options);
}

async function call<D>(method: string, path: string, options: CallOptions): Promise<Answer<D>> {
  const key = method === 'POST' ? { 'Idempotency-Key': crypto.randomUUID() } : {};
  for (let isRenewed = false; ; ) {
    const response = await sendOften(method, path, options, key, await accessToken());
    if (response.ok) return answerOf(response);
    const failure = await failureOf(response);
    if (!isSignedOut(failure)) throw failure;
    if (failure.meta['step_up'] === true) {
      if (!(await proveAgain(failure))) throw failure;
    } else if (isRenewed || (await accessToken(true)) === null) throw failure;
    else isRenewed = true;
  }
}

async function sendOften(
  method: string,
  path: string,
  options: CallOptions,
  key: Readonly<Record<string, string>>,
  token: string | null,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await send(method, path, options, key, token);
      isOffline.value = false;
      return response;
    } catch (error) {
      if (options.signal?.aborted === true) throw error;
      isOffline.value = true;
      if (attempt === ATTEMPTS || method === 'PATCH' || method === 'DELETE') throw new Failure({ code: NO_ANSWER });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
    }
  }
}

function send(
  method: string,
  path: string,
  { query = {}, body, headers, signal: ending }: CallOptions,
  key: Readonly<Record<string, string>>,
  token: string | null,
): Promise<Response> {
  return fetch(path + searchOf(query), {
    method,
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      Accept: 'application/json',
      'Accept-Language': locale.value,
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...key,
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(ending === undefined ? {} : { signal: ending }),
  });
}

/** Query of an address: `?a=1&b=2`, or nothing. Values that are null, undefined or empty are left out. */
export function searchOf(query: Readonly<Record<string, QueryValue>>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value as readonly string[]) pairs.append(name, one);
    else if (value !== null && value !== undefined && value !== '') pairs.set(name, String(value));
  }
  return pairs.size === 0 ? '' : `?${pairs}`;
}

async function answerOf<D>(response: Response): Promise<Answer<D>> {
  const body = (await response.json()) as { data: D; meta?: { pagination?: Pagination } };
  return {
    data: body.data,
    status: response.status,
    pagination: body.meta?.pagination ?? null,
    etag: response.headers.get('ETag'),
  };
}
