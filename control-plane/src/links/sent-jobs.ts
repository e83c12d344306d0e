/**
 * Answers remembered, also to jobs not sent over this link: who read a task as pending just before its result came
 * must not send it. The node ignores what it has measured, so such a job would be owed for ever, and the link of a
 * node that owes something is cut when it keeps quiet like an idle one.
 */
const REMEMBERED_ANSWERS = 1_000;

/** The jobs of one link: those the node owes an answer to, and those it has answered last. */
export class SentJobs {
  /** Task id -> when it is given up, monotonic milliseconds. */
  readonly #owed = new Map<string, number>();
  readonly #answered = new Set<string>();

  /** Jobs not answered yet. */
  get owed(): number {
    return this.#owed.size;
  }

  /** Whether the node got or answered this job over the link, as far as that is remembered. */
  has(taskId: string): boolean {
    return this.#owed.has(taskId) || this.#answered.has(taskId);
  }

  add(taskId: string, givenUpAtMs: number): void {
    this.#owed.set(taskId, givenUpAtMs);
  }

  /** Its result is here, whichever link the job was sent over. */
  answer(taskId: string): void {
    this.#owed.delete(taskId);
    this.#answered.add(taskId);
    const [oldest] = this.#answered;
    if (this.#answered.size > REMEMBERED_ANSWERS && oldest !== undefined) this.#answered.delete(oldest);
  }

  /** The node has nothing left of all it was given: whatever became of the answers, none comes. */
  answerAll(): void {
    for (const taskId of this.#owed.keys()) this.answer(taskId);
  }

  /** Forgets jobs that a node did not answer in time and never will: they are no load, and nobody waits for them. */
  giveUp(nowMs: number): void {
    for (const [taskId, givenUpAtMs] of this.#owed) if (givenUpAtMs <= nowMs) this.#owed.delete(taskId);
  }
}
