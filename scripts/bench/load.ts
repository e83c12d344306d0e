import http from 'node:http';
import { Pool } from 'undici';
import { quantile } from './statistics.js';

/** Times of single operations in milliseconds, and how many ended per second. */
export interface Load {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** Runs `operation` in `inFlight` closed loops for `seconds`, the first second not counted. */
export async function closedLoop(operation: () => Promise<void>, inFlight: number, seconds: number): Promise<Load> {
  const times: number[] = [];
  const warmUntil = performance.now() + 1_000;
  const until = warmUntil + seconds * 1_000;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) {
        const startedAt = performance.now();
        await operation();
        if (startedAt >= warmUntil) times.push(performance.now() - startedAt);
      }
    }),
  );
  const [p50 = 0, p95 = 0, p99 = 0] = [0.5, 0.95, 0.99].map((ratio) => quantile(times, ratio));
  return { p50, p95, p99, perSecond: times.length / seconds };
}

/** The API as a load generator needs it: keep-alive connections and no more. */
export class LoadClient {
  readonly #pool: Pool;

  /** `token` for the Authorization header of every request. */
  constructor(
    url: string,
    connections: number,
    private readonly token: string | null = null,
  ) {
    this.#pool = new Pool(url, { connections, pipelining: 1 });
  }

  /** Submits a probe and reads its end. @throws Error when it did not succeed */
  async probe(type: string, body: object): Promise<void> {
    const created = (await this.#json('POST', `/v1/probe/${type}`, body)) as { data?: { task_id: string } };
    if (!created.data) throw new Error(`refused: ${JSON.stringify(created)}`);
    const done = (await this.#json('GET', `/v1/probe/tasks/${created.data.task_id}?wait=30`)) as {
      data: { summary: { success_count: number } };
    };
    if (done.data.summary.success_count !== 1) throw new Error(`not a success: ${JSON.stringify(done)}`);
  }

  /** One request over a kept connection. @throws Error when it did not succeed */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const answer = (await this.#json('GET', path, undefined, headers)) as { error?: unknown };
    if (answer.error !== undefined) throw new Error(`refused: ${JSON.stringify(answer)}`);
  }

  /** One request with a body, whatever is answered. */
  async post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    return this.#json('POST', path, body, headers);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #json(method: 'GET' | 'POST', path: string, body?: object, extra?: Record<string, string>): Promise<unknown> {
    const { body: answer } = await this.#pool.request({
      method,
      path,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...extra,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return answer.json();
  }
}

/** One GET on a connection of its own, read to the end: what a probe cannot do without. */
export function bareGet(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false }, (response) => {
        response.resume();
        response.once('end', resolve);
      })
      .once('error', reject);
  });
}
