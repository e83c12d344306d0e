/** Metrics of deliveries. */
export interface DeliveryCounts {
  countDelivery(type: string, outcome: AttemptOutcome | 'dropped'): void;
  /** From the row being committed to the message being accepted. */
  observeDelivery(type: string, seconds: number): void;
  countFallback(): void;
}

/** Outcomes of attempts; part of the public API. `unknown`: the request was sent, and there is no response. */
export const attemptOutcomes = ['accepted', 'retry', 'refused', 'unknown'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];
