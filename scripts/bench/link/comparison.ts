/** How much is measured. */
export interface LinkBenchOptions {
  /** Repeat everything so often, all ways in turns within each round. */
  readonly rounds: number;
  /** Where there are many. */
  readonly agents: number;
}

/** One measured figure beside its baseline of the same run. */
export interface LinkRow {
  readonly what: string;
  readonly ours: string;
  /** Empty: the goal is a number. */
  readonly baseline: string;
  /** Ours through the baseline; empty without one. */
  readonly ratio: string;
  /** Empty: none. */
  readonly goal: string;
}

/** One part of the node link, measured in processes of its own. */
export interface LinkComparison {
  readonly name: string;
  /** A heading: what is measured. */
  readonly title: string;
  /** How, in a clause. */
  method(options: LinkBenchOptions): string;
  run(options: LinkBenchOptions): Promise<LinkRow[]>;
}
