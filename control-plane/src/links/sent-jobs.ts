/** Answers remembered, so that a sweep that read a task just before its result came does not send it again. */
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

  /** Whether the node got this job over the link, as far as that is remembered. */
  has(taskId: string): boolean {
    return this.#owed.has(taskId) || this.#answered.has(taskId);
  }

  add(taskId: string, givenUpAtMs: number): void {
    this.#owed.set(taskId, givenUpAtMs);
  }

  /** Its result is here; a task that was never sent over this link counts for nothing. */
  answer(taskId: string): void {
    if (!this.#owed.delete(taskId)) return;
    this.#answered.add(taskId);
    const [oldest] = this.#answered;
    if (this.#answered.size > REMEMBERED_ANSWERS && oldest !== undefined) this.#answered.delete(oldest);
  }

  /** Forgets jobs that a node did not answer in time and never will: they are no load, and nobody waits for them. */
  giveUp(nowMs: number): void {
    for (const [taskId, givenUpAtMs] of this.#owed) if (givenUpAtMs <= nowMs) this.#owed.delete(taskId);
  }
}
