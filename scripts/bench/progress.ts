/** A line about what a long measurement has just done or begins. */
export function tellProgress(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
