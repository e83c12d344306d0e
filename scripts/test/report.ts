import { withSourcePlaces } from './source-places.js';
import type { FileOutcome } from './tap-reader.js';

const stderrLines = 60;

/** Lines of a failure's details that its report repeats at the end of the run, where a cut output still has them. */
const repeatedLines = 12;

/** The progress line of one finished file. */
export function progressLine(outcome: FileOutcome): string {
  const word = outcome.failed > 0 ? 'FAILED' : 'ok';
  const counts = [
    `${outcome.passed} passed`,
    ...some(outcome.failed, 'failed'),
    ...some(outcome.skips.length, 'skipped'),
  ].join(', ');
  return `${word.padEnd(7)} ${outcome.file.source.padEnd(60)} ${counts.padEnd(12)} ${seconds(outcome.durationMs)}, ${seconds(outcome.cpuMs)} of CPU`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Report after the progress: skips with their reasons, `notes`, failures with the first lines of their
 * details, and the counts as last line. A reader who sees only the end of a cut output sees what failed.
 */
export function summary(outcomes: readonly FileOutcome[], notes: readonly string[]): string {
  const skipped = skipLines(outcomes);
  const failed = outcomes.flatMap(({ file, failures }) =>
    failures.map(({ path, details }) => `${failureName(file.source, path)}\n${indent(firstLines(details))}`),
  );
  const { passed, failures, skips } = countAll(outcomes);
  return [...skipped, ...notes, ...failed, `${passed} passed, ${failures} failed, ${skips} skipped`].join('\n');
}

/** Skipped tests, one line for each reason: a missing package is the reason of many. */
function skipLines(outcomes: readonly FileOutcome[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { file, skips } of outcomes)
    for (const { reason, path } of skips) {
      const names = byReason.get(reason) ?? [];
      byReason.set(reason, [...names, [file.source, ...path].join(' › ')]);
    }
  return [...byReason].map(([reason, names]) => {
    const [only = ''] = names;
    return `skipped ${names.length === 1 ? only : `${names.length} tests`}: ${reason}`;
  });
}

/** A file that failed, and passed when it ran once more. */
export type Flaky = Pick<FileOutcome, 'file' | 'failures'>;

/** Exit code of a run, and what to report about it beyond the counts. Where nothing may be skipped, a skip is a failure. */
export function judgeRun(
  outcomes: readonly FileOutcome[],
  { isComplete, flaky = [] }: { readonly isComplete: boolean; readonly flaky?: readonly Flaky[] },
): { exitCode: number; notes: string[] } {
  const { failures, skips } = countAll(outcomes);
  const isIncomplete = isComplete && skips > 0;
  const notes = [...(isIncomplete ? ['CI=true: a skipped test is a failure'] : []), ...flaky.flatMap(flakyLines)];
  return { exitCode: failures > 0 || isIncomplete ? 1 : 0, notes };
}

function flakyLines({ file, failures }: Flaky): string[] {
  return failures.map(
    ({ path, details }) => `flaky: ${[file.source, ...path].join(' › ')}\n${indent(firstLines(details))}`,
  );
}

function countAll(outcomes: readonly FileOutcome[]): { passed: number; failures: number; skips: number } {
  const sum = (of: (outcome: FileOutcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  return { passed: sum((o) => o.passed), failures: sum((o) => o.failed), skips: sum((o) => o.skips.length) };
}

/**
 * Failures of a file in detail, with its standard error; printed as soon as it ends, because the run may be cut off.
 */
export function failureText({ file, failures, stderr }: FileOutcome): string {
  const blocks = failures.map(({ path, details }) => `\n${failureName(file.source, path)}\n${indent(details)}`);
  const said = stderr.trim().split('\n').slice(-stderrLines).join('\n');
  const text = [...blocks, ...(said === '' ? [] : [`\n  standard error of ${file.source}:\n${indent(said)}`]), ''].join(
    '\n',
  );
  return withSourcePlaces(text, process.cwd());
}

function firstLines(details: string): string {
  const lines = details.split('\n');
  return [...lines.slice(0, repeatedLines), ...(lines.length > repeatedLines ? ['…'] : [])].join('\n');
}

function failureName(source: string, path: readonly string[]): string {
  return `FAILED ${[source, ...path].join(' › ')}`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function some(count: number, word: string): string[] {
  return count === 0 ? [] : [`${count} ${word}`];
}
