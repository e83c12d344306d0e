/** Newest state of one subject, as a node reported it and its kind accepted it. */
export interface NewestState {
  readonly kind: string;
  /** Id of the subject. */
  readonly subject: string;
  /** Generation of the assignment it was made under. */
  readonly generation: number;
  /** Time when the check behind it was due, server time, milliseconds since the epoch. */
  readonly slotMs: number;
  /** JSON that can be stored. */
  readonly bodyJson: string;
}

/** Kind of subject whose newest state nodes report before their backlog. */
export interface StateKind {
  /** Name on the wire and in results. */
  readonly name: string;
  /** Validates a subject and its body completely; null if it is not such a state. */
  parse(subject: string, body: unknown): unknown;
  /** Called after states were stored that are newer than the known ones, or the first. */
  onNewer(nodeId: string, states: readonly NewestState[]): void;
}
