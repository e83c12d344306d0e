import { type RunOptions, type RunReport, runSeed } from './run.js';

/** Outcome of a seed, passed between threads. */
export interface SeedOutcome {
  readonly seed: number;
  /** Text for people; null if no invariant was breached. */
  readonly failure: string | null;
  readonly events: number;
  readonly virtualMs: number;
}

/** Runs a seed, and keeps the part of it that is worth reporting. */
export async function runForOutcome(seed: number, options: RunOptions = {}): Promise<SeedOutcome> {
  const report = await runSeed(seed, options);
  const { events, virtualMs, breaches } = report;
  return { seed, failure: breaches.length === 0 ? null : describeFailure(report), events, virtualMs };
}

/** Text with the breaches, the last events, and the command that repeats the run. */
export function describeFailure({ seed, breaches, tail }: RunReport): string {
  const lines = breaches.slice(0, 10).map(({ id, message }) => `  ${id}  ${message}`);
  return [
    `seed ${seed}: ${breaches.length} breaches`,
    ...lines,
    ...tail.map((line) => `    ${line}`),
    `  again: npm run simulate -- --seed ${seed} --trace`,
    '',
  ].join('\n');
}
