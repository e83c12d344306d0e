import { RecentIds } from '@vantage/shared/recent-ids.js';

/**
 * Number of answers that are remembered at least, including those to jobs not sent over this link: a replica that read a task as
 * pending just before its result came must not send it. The node ignores tasks it has already measured, so such a job
 * would stay unanswered, and the link of a node with unanswered jobs is cut when it is as quiet as an idle one.
 */
const REMEMBERED_ANSWERS = 1_000;

/** Jobs of one link: those without an answer, and those answered last. */
export class SentJobs {
  /** Time at which each task is given up, monotonic milliseconds, by task id. */
  readonly #owed = new Map<string, number>();
  readonly #answered = new RecentIds(REMEMBERED_ANSWERS);

  /** Number of jobs without an answer. */
  get owed(): number {
    return this.#owed.size;
  }

  /** True if the node received or answered this job over the link, as far as that is remembered. */
  has(taskId: string): boolean {
    return this.#owed.has(taskId) || this.#answered.has(taskId);
  }

  add(taskId: string, givenUpAtMs: number): void {
    this.#owed.set(taskId, givenUpAtMs);
  }

  /** Notes that the result of a job is here, whichever link the job was sent over. */
  answer(taskId: string): void {
    this.#owed.delete(taskId);
    this.#answered.add(taskId);
  }

  /** Notes that the node has no job left of those it received: no more answers come. */
  answerAll(): void {
    for (const taskId of this.#owed.keys()) this.answer(taskId);
  }

  /** Forgets jobs that a node did not answer in time and never will: they are no load, and no caller waits for them. */
  giveUp(nowMs: number): void {
    for (const [taskId, givenUpAtMs] of this.#owed) if (givenUpAtMs <= nowMs) this.#owed.delete(taskId);
  }
}
