import type { RunReport } from './run.js';

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
