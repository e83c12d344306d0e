/**
 * Counts what reaches the sockets of a run in addition to the answers it took. A datagram socket that brought its answer stays
 * open until `close`, because a second, different answer to one question is what an injected one looks like.
 */
export class AnswerWatch {
  /** Messages that were no answer to our question: another id, question, letter case or cookie. */
  ignoredCount = 0;
  /** Further answers to a question that was answered, which say something else. */
  contradictionCount = 0;
  readonly #closers: (() => void)[] = [];

  /** Takes ownership of a socket. */
  keep(close: () => void): void {
    this.#closers.push(close);
  }

  /** Stops listening. Must be called in any case. */
  close(): void {
    for (const close of this.#closers.splice(0)) close();
  }
}
