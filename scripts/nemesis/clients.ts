import { setMaxListeners } from 'node:events';
import { delay, systemClock } from '@vantage/shared/clock.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Api } from './api.js';
import type { Recorder } from './recorder.js';
import type { Targets } from './targets.js';

// One request for a probe:
//
//   submit ──503, no answer──> submit again elsewhere, same Idempotency-Key ──45 s──> given up
//     └──202──> long poll on another replica ──running, 503, no answer──> again elsewhere ──finished──> read

/** The lock of an idempotency key is believed for a minute after its holder died: later the same key may run again. */
const SUBMIT_MS = 45_000;
const RETRY_MS = 500;
const WAIT_SECONDS = 15;

/** A request for a probe that was answered with yes. */
export interface Accepted {
  readonly key: string;
  readonly taskId: string;
  readonly subjects: readonly string[];
  readonly nodeIds: readonly string[];
}

/** Counts of the requests of a run. */
export interface ClientCounts {
  submitted: number;
  accepted: number;
  /** Requests refused for good, by the API's error code. */
  readonly refused: Record<string, number>;
  givenUp: number;
  /** Node tasks that ended with a result, and without one. */
  results: number;
  lost: number;
  /** Accepted and not read to the end yet. */
  waiting: number;
}

interface TaskBody {
  readonly status: string;
  readonly node_results: readonly { readonly node_id: string; readonly error: { readonly code: string } | null }[];
}

export interface ClientsOptions {
  readonly api: Api;
  readonly urls: readonly string[];
  readonly nodeIds: readonly string[];
  readonly targets: Targets;
  readonly recorder: Recorder;
  readonly random: SeededRandom;
}

const REQUESTS_PER_SECOND = 5;

/** People who ask for probes at a steady rate, wherever an answer is to be had. */
export class Clients {
  readonly accepted: Accepted[] = [];
  /** Number of nodes that each request asked for, by its key. */
  readonly asked = new Map<string, number>();
  readonly counts: ClientCounts = {
    submitted: 0,
    accepted: 0,
    refused: {},
    givenUp: 0,
    results: 0,
    lost: 0,
    waiting: 0,
  };
  readonly #options: ClientsOptions;
  readonly #running = new Set<Promise<void>>();
  #requesting = new AbortController();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ClientsOptions) {
    this.#options = options;
    setMaxListeners(0, this.#end.signal);
  }

  /** Starts sending requests; also after stopRequests(). */
  start(): void {
    this.#requesting = new AbortController();
    setMaxListeners(0, this.#requesting.signal);
    this.#timer = setInterval(() => {
      const request = this.#request().catch(() => {});
      this.#running.add(request);
      void request.finally(() => this.#running.delete(request));
    }, 1_000 / REQUESTS_PER_SECOND);
  }

  /** Stops new requests and retries; accepted requests continue. */
  stopRequests(): void {
    this.#requesting.abort();
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Ends what still waits. */
  async stop(): Promise<void> {
    this.stopRequests();
    this.#end.abort();
    await Promise.all(this.#running);
  }

  async #request(): Promise<void> {
    const number = ++this.counts.submitted;
    const accepted = await this.#submit(`r${number}`);
    if (accepted === null) return;
    this.counts.accepted += 1;
    this.counts.waiting += 1;
    this.accepted.push(accepted);
    accepted.subjects.forEach((subject, index) => {
      this.#options.recorder.record('accepted', { subject, nodeId: accepted.nodeIds[index] ?? '' });
    });
    const task = await this.#read(accepted).finally(() => {
      this.counts.waiting -= 1;
    });
    for (const { error } of task.node_results) {
      if (error?.code === 'node_lost' || error?.code === 'timeout') this.counts.lost += 1;
      else this.counts.results += 1;
    }
  }

  async #submit(key: string): Promise<Accepted | null> {
    const { api, random } = this.#options;
    const { path, body, nodeIds } = this.#wish(key);
    this.asked.set(key, nodeIds.length);
    const deadline = performance.now() + SUBMIT_MS;
    while (performance.now() < deadline) {
      const answer = await api.call(this.#anyUrl(), { method: 'POST', path, body, idempotencyKey: key });
      if (answer?.status === 202) {
        const { task_id: taskId, task_ids: subjects } = answer.data as { task_id: string; task_ids: string[] };
        return { key, taskId, subjects, nodeIds };
      }
      // 409: the first request is still running, or its replica died
      if (answer !== null && answer.status !== 409 && answer.code !== 'UNAVAILABLE') return this.#refused(answer.code);
      await delay(systemClock, RETRY_MS * (1 + random.next()), this.#requesting.signal).catch(() => {});
      if (this.#requesting.signal.aborted) break;
    }
    this.counts.givenUp += 1;
    return null;
  }

  #wish(key: string): { path: string; body: object; nodeIds: string[] } {
    const { nodeIds, targets, random } = this.#options;
    const dice = random.next();
    const first = random.pick(nodeIds);
    const second = random.pick(nodeIds);
    const chosen = dice < 0.8 || first === second ? [first] : [first, second];
    if (dice < 0.1)
      return { path: '/v1/probe/tcp', body: { target: targets.nobody, node_ids: chosen }, nodeIds: chosen };
    const target = this.#targetOf(key);
    const body = { target, node_ids: chosen, params: { timeout_ms: 10_000 } };
    return { path: '/v1/probe/http', body, nodeIds: chosen };
  }

  /** Mostly one of its own, quick or slow; now and then one that an agent has to refuse, at once or when it is sent there. */
  #targetOf(key: string): string {
    const { targets, random, recorder } = this.#options;
    const dice = random.next();
    if (dice > 0.06) return targets.urlOf(key, dice < 0.25 ? random.integer(500, 6_000) : random.integer(0, 100));
    const to = dice < 0.03 ? targets.refusedUrl : targets.temptingUrl;
    recorder.record('tempted', { to });
    return to;
  }

  #refused(code: string | null): null {
    const { refused } = this.counts;
    refused[code ?? 'unknown'] = (refused[code ?? 'unknown'] ?? 0) + 1;
    return null;
  }

  async #read({ taskId, subjects }: Accepted): Promise<TaskBody> {
    for (;;) {
      const path = `/v1/probe/tasks/${taskId}?wait=${WAIT_SECONDS}`;
      const answer = await this.#options.api.call(this.#anyUrl(), { path, timeoutMs: (WAIT_SECONDS + 10) * 1_000 });
      // the checker reports this response to an accepted task
      if (answer?.status === 404) return this.#notFound(subjects);
      const task = answer?.status === 200 ? (answer.data as TaskBody) : null;
      if (task !== null && task.status !== 'running') {
        task.node_results.forEach(({ error }, index) => {
          this.#options.recorder.record('read', { subject: subjects[index] ?? '', outcome: error?.code ?? 'success' });
        });
        return task;
      }
      await delay(systemClock, RETRY_MS, this.#end.signal);
    }
  }

  #notFound(subjects: readonly string[]): TaskBody {
    for (const subject of subjects) this.#options.recorder.record('read', { subject, outcome: 'not_found' });
    return { status: 'not_found', node_results: [] };
  }

  #anyUrl(): string {
    return this.#options.random.pick(this.#options.urls);
  }
}
