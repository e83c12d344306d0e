import { Pool } from 'undici';
import { BenchError, sized } from './harness.js';
import { quantile } from './statistics.js';

/** Time at the start of a load that is not counted. */
const WARM_MS = sized(1_000, 50);
/** Part of a response that a message shows. */
const SHOWN_CHARACTERS = 300;

type Method = 'GET' | 'POST';
type Headers = Readonly<Record<string, string>>;

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
  const warmUntil = performance.now() + WARM_MS;
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

  /** Requests a probe on `nodes` nodes and waits for its end. @throws BenchError when it did not succeed on all of them */
  async probe(type: string, body: object, nodes = 1): Promise<void> {
    const created = await this.#expect<{ task_id: string }>(202, 'POST', `/v1/probe/${type}`, body);
    const path = `/v1/probe/tasks/${created.task_id}?wait=30`;
    const task = await this.#expect<{ summary?: { success_count: number } }>(200, 'GET', path);
    if (task.summary?.success_count === nodes) return;
    throw new BenchError(
      `a probe did not succeed on ${nodes === 1 ? 'its node' : `all of ${nodes} nodes`}: ${JSON.stringify(task)}`,
    );
  }

  /** One request over a kept connection. @throws BenchError when it did not succeed */
  async get(path: string, headers?: Headers): Promise<void> {
    await this.#expect(200, 'GET', path, undefined, headers);
  }

  /** One request with a body, whatever is answered. */
  async post(path: string, body: object, headers?: Headers): Promise<unknown> {
    return JSON.parse((await this.#ask('POST', path, body, headers)).text);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** Data of a response with this status. @throws BenchError for every other response, and without one */
  async #expect<T>(status: number, method: Method, path: string, body?: object, headers?: Headers): Promise<T> {
    const fail = (message: string) => new BenchError(`${method} ${path.replace(/\?.*/, '')} ${message}`);
    const { statusCode, text } = await this.#ask(method, path, body, headers).catch((error: Error) => {
      throw fail(`failed: ${error.message}`);
    });
    if (statusCode === status) return (JSON.parse(text) as { data: T }).data;
    throw fail(`was refused with ${statusCode}: ${text.slice(0, SHOWN_CHARACTERS)}`);
  }

  async #ask(method: Method, path: string, body?: object, extra?: Headers) {
    const { statusCode, body: answer } = await this.#pool.request({
      method,
      path,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...extra,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { statusCode, text: await answer.text() };
  }
}
