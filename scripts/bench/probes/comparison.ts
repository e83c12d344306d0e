import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Lab, LabOptions } from '../../lab/lab.js';
import type { Prober } from '../../lab/prober.js';
import { figureOf, figureText } from '../statistics.js';

/** Options of a comparison. The lab is its own, with the servers that it asked for. */
export interface ComparisonOptions {
  readonly lab: Lab;
  readonly prober: Prober;
  /** Repeat everything so often, both programs in turns within each round. */
  readonly rounds: number;
  /** Number of probes of each type, where probes are counted in place of rounds. */
  readonly probes: number;
  /** The types to count them of. */
  readonly types: readonly ProbeType[];
}

/** One measured figure of ours beside the other program's. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  /** Ours divided by theirs, or their difference, depending on the goal. */
  readonly ratio: string;
  /** Empty: none. */
  readonly goal: string;
}

/** The agent's engine beside the program its users would reach for. */
export interface Comparison {
  readonly name: string;
  /** A heading: what is compared on which path. */
  readonly title: string;
  /** Why it is measured again: the list of benchmarks shows it. */
  readonly question: string;
  /** The other program, for the head of its column. */
  readonly peer: string;
  /** Method, where it is more than rounds in turn. */
  readonly method?: (options: Pick<ComparisonOptions, 'probes' | 'rounds'>) => string;
  readonly lab: LabOptions;
  /** Programs that it starts in addition to the lab's servers; absent: none. */
  readonly programs?: readonly ExternalProgram[];
  run(options: ComparisonOptions): Promise<Row[]>;
}

/** A row of medians over rounds with their spread, and the ratio of the medians. */
export function ratioRow(options: {
  readonly what: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly goal?: string;
  readonly digits?: number;
}): Row {
  const { what, goal = '', digits = 2 } = options;
  const [ours, theirs] = [figureOf(options.ours), figureOf(options.theirs)];
  return {
    what,
    ours: figureText(ours, digits),
    theirs: figureText(theirs, digits),
    ratio: (ours.median / theirs.median).toFixed(3),
    goal,
  };
}

/** Like `ratioRow`, with the difference of the medians in place of their ratio. */
export function differenceRow(options: Parameters<typeof ratioRow>[0]): Row {
  const { digits = 2 } = options;
  const difference = figureOf(options.ours).median - figureOf(options.theirs).median;
  return { ...ratioRow(options), ratio: `${difference < 0 ? '' : '+'}${difference.toFixed(digits)}` };
}

/** A row of what must be the same on both sides. */
export function equalityRow({ what, ours, theirs }: Pick<Row, 'what' | 'ours' | 'theirs'>): Row {
  return { what, ours, theirs, ratio: ours === theirs ? 'equal' : 'DIFFERENT', goal: 'equal' };
}
