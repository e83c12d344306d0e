/** An evaluation cost more than it may. */
export class JsonPathBudgetError extends Error {
  override readonly name = 'JsonPathBudgetError';
}

/** Remaining number of steps that one evaluation may take. */
export class StepBudget {
  #left: number;

  constructor(maxSteps: number) {
    this.#left = maxSteps;
  }

  /** @throws JsonPathBudgetError when there is nothing left */
  spend(steps = 1): void {
    if (this.#left < steps) throw new JsonPathBudgetError('the JSONPath takes too many steps in this document');
    this.#left -= steps;
  }
}
