/** Size of a measurement. */
export interface LinkBenchOptions {
  /** Repeat everything so often, all ways in turns within each round. */
  readonly rounds: number;
  /** Number of agents in measurements with many. */
  readonly agents: number;
  /** Number of finished deliveries in measurements of logs. */
  readonly deliveries: number;
}

/** One measured figure beside its baseline of the same run. */
export interface LinkRow {
  readonly what: string;
  readonly ours: string;
  /** Empty: the goal is a number. */
  readonly baseline: string;
  /** Ours divided by the baseline; empty without one. */
  readonly ratio: string;
  /** Empty: none. */
  readonly goal: string;
}

/** One part of the node link, measured in processes of its own. */
export interface LinkComparison {
  readonly name: string;
  /** A heading: what is measured. */
  readonly title: string;
  /** Why it is measured again: the list of benchmarks shows it. */
  readonly question: string;
  /** Description of the method, in a clause. */
  method(options: LinkBenchOptions): string;
  run(options: LinkBenchOptions): Promise<LinkRow[]>;
}
