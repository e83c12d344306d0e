/** The newest state of one subject, as a node told and a kind took it. */
export interface NewestState {
  readonly kind: string;
  /** Its id. */
  readonly subject: string;
  /** Of the assignment it was made under. */
  readonly generation: number;
  /** When the check it comes from was due, server time, milliseconds since the epoch. */
  readonly slotMs: number;
  /** JSON that can be stored. */
  readonly bodyJson: string;
}

/** Something whose newest state nodes tell before their backlog. */
export interface StateKind {
  /** As on the wire, and as in results. */
  readonly name: string;
  /** Checks a subject and its body wholly; null: not such a state. */
  parse(subject: string, body: unknown): unknown;
  /** Newest states were stored that were not known before, or are newer than what was. */
  onNewer(nodeId: string, states: readonly NewestState[]): void;
}
