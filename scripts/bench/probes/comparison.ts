import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import { demand } from '@vantage/shared/_support/missing.js';
import { type Lab, type LabOptions, startLab } from '../../lab/lab.js';
import { type Prober, startProber } from '../../lab/prober.js';
import type { Part, Row } from '../harness.js';
import { median } from '../statistics.js';

/** Lab of its own in which a comparison is made. */
export interface LabRun {
  readonly lab: Lab;
  readonly prober: Prober;
  /** Number of rounds; both programs take turns within each. */
  readonly rounds: number;
}

/** Probes of the agent compared with the program that its users would otherwise use. */
export interface Comparison extends Omit<Part, 'run' | 'method' | 'peer'> {
  /** The other program, for the head of its column. */
  readonly peer: string;
  /** Method, where it is more than rounds in turn. */
  readonly method?: Part['method'];
  readonly lab: LabOptions;
  /** Programs that it starts in addition to the servers of the lab. */
  readonly programs: readonly ExternalProgram[];
  run(options: LabRun): Promise<Row[]>;
}

/** Delay of the path of most comparisons, 20 ms both ways together. */
export async function delayPath({ lab }: Pick<LabRun, 'lab'>, delayMs = 10): Promise<void> {
  await lab.setLink(2, 'both', { delayMs });
}

/** The part of a benchmark that makes a comparison. */
export function partOf({ lab: labOptions, programs, run, ...rest }: Comparison): Part {
  return {
    method: ({ rounds }) => `${rounds} rounds, both in turns`,
    ...rest,
    async run({ rounds }, stops) {
      demand(...programs);
      const lab = await startLab(labOptions);
      stops.push(() => lab.stop());
      return run({ lab, prober: await startProber(lab), rounds });
    },
  };
}

/** Figures of both programs, one for each round. */
export interface Both {
  readonly ours: number[];
  readonly baseline: number[];
}

/** Medians of `samples` measurements by each program in turns, for each round. @throws Error without a figure */
export async function inTurns(
  { rounds, samples }: { readonly rounds: number; readonly samples: number },
  ours: () => Promise<number | null>,
  theirs: () => Promise<number | null>,
): Promise<Both> {
  const both: Both = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    const taken: Both = { ours: [], baseline: [] };
    for (let sample = 0; sample < samples; sample += 1) {
      taken.ours.push(figure(await ours()));
      taken.baseline.push(figure(await theirs()));
    }
    both.ours.push(median(taken.ours));
    both.baseline.push(median(taken.baseline));
  }
  return both;
}

function figure(value: number | null): number {
  if (value === null || Number.isNaN(value)) throw new Error('a program measured nothing');
  return value;
}
