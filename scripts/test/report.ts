import { withSourcePlaces } from './source-places.js';
import type { FileOutcome } from './tap-reader.js';

const stderrLines = 60;

/** The progress line of one finished file. */
export function progressLine(outcome: FileOutcome): string {
  const word = outcome.failed > 0 ? 'FAILED' : 'ok';
  const counts = [
    `${outcome.passed} passed`,
    ...some(outcome.failed, 'failed'),
    ...some(outcome.skips.length, 'skipped'),
  ].join(', ');
  return `${word.padEnd(7)} ${outcome.file.source.padEnd(60)} ${counts.padEnd(12)} ${(outcome.durationMs / 1000).toFixed(1)} s`;
}

/** Everything after the progress: skips with their reasons, failures by name, `notes`, the counts as last line. */
export function summary(outcomes: readonly FileOutcome[], notes: readonly string[]): string {
  const skipped = outcomes.flatMap(({ file, skips }) =>
    skips.map(({ path, reason }) => `skipped ${[file.source, ...path].join(' › ')}: ${reason}`),
  );
  const failed = outcomes.flatMap(({ file, failures }) => failures.map(({ path }) => failureName(file.source, path)));
  const { passed, failures, skips } = countAll(outcomes);
  return [...skipped, ...failed, ...notes, `${passed} passed, ${failures} failed, ${skips} skipped`].join('\n');
}

/** Exit code of a run, and what to tell about it beyond the counts: where nothing may be skipped, a skip is a failure. */
export function judgeRun(outcomes: readonly FileOutcome[], isCi: boolean): { exitCode: number; notes: string[] } {
  const { failures, skips } = countAll(outcomes);
  const isSkipFatal = isCi && skips > 0;
  return {
    exitCode: failures > 0 || isSkipFatal ? 1 : 0,
    notes: isSkipFatal ? ['CI=true: a skipped test is a failure'] : [],
  };
}

function countAll(outcomes: readonly FileOutcome[]): { passed: number; failures: number; skips: number } {
  const sum = (of: (outcome: FileOutcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  return { passed: sum((o) => o.passed), failures: sum((o) => o.failed), skips: sum((o) => o.skips.length) };
}

/** What failed in a file, in detail, and what the file said: told as soon as it ends, for the run may be cut off. */
export function failureText({ file, failures, stderr }: FileOutcome): string {
  const blocks = failures.map(({ path, details }) => `\n${failureName(file.source, path)}\n${indent(details)}`);
  const said = stderr.trim().split('\n').slice(-stderrLines).join('\n');
  const text = [...blocks, ...(said === '' ? [] : [`\n  standard error of ${file.source}:\n${indent(said)}`]), ''].join(
    '\n',
  );
  return withSourcePlaces(text, process.cwd());
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
