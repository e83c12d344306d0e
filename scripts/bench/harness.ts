import { cpus, totalmem } from 'node:os';
import { type Figure, figureOf, figureText } from './statistics.js';

/** A measurement that failed, with a message for people: no figure is taken from it. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** Size of a measurement: `full`, or `smoke` with BENCH_SMOKE=1, where figures are not judged. */
export function sized<T>(full: T, smoke: T): T {
  return process.env['BENCH_SMOKE'] === '1' ? smoke : full;
}

/** Writes a line about the progress of a measurement to standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Functions that end what a measurement started; they are called in reverse order. */
export type Stops = (() => unknown)[];

/** Calls `work`, and ends what it started. */
export async function withStops<T>(work: (stops: Stops) => Promise<T>): Promise<T> {
  const stops: Stops = [];
  try {
    return await work(stops);
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

/** Options of the command line. */
export interface BenchOptions {
  /** Number of rounds; what is compared takes turns within each. */
  readonly rounds: number;
  /** Number of agents where there are many. */
  readonly agents: number;
  /** Number of finished deliveries in a log. */
  readonly deliveries: number;
  /** Length of a round of the main road. */
  readonly seconds: number;
  /** Numbers of probes in flight on the main road. */
  readonly inFlight: readonly number[];
  /** Names of parts, separated by commas; undefined for all. */
  readonly only: string | undefined;
  /** True if the main road prints one JSON document. */
  readonly isJson: boolean;
}

/** One part of a benchmark: a table, or several as text. */
export interface Part {
  readonly name: string;
  /** Shown by the list of benchmarks. */
  readonly question: string;
  /** Heading of its report. */
  readonly title: string;
  /** Other program that it is compared with, for the head of the table; undefined if each row names its baseline. */
  readonly peer?: string;
  /** Description of the method, a clause. */
  method(options: BenchOptions): string;
  run(options: BenchOptions, stops: Stops): Promise<readonly Row[] | string>;
}

/** One figure next to its baseline of the same run. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  /** Empty: the goal is a number. */
  readonly baseline: string;
  /** Ours divided by the baseline, or the difference; empty without one. */
  readonly ratio: string;
  /** Empty: none. */
  readonly goal: string;
}

/** Values of the rounds of one row. */
export interface RowValues {
  readonly ours: readonly number[];
  readonly baseline?: readonly number[];
  /** Name of the baseline; undefined if the head of the table has it. */
  readonly against?: string;
  readonly digits?: number;
  readonly goal?: string;
  /** True if the last figure is the difference of the medians. */
  readonly isDifference?: boolean;
}

/** A row of the medians of the rounds, with minimum and maximum. */
export function rowOf(what: string, values: RowValues): Row {
  const { digits = 2, goal = '', against, isDifference = false } = values;
  const ours = figureOf(values.ours);
  const row = { what, ours: figureText(ours, digits), goal };
  if (values.baseline === undefined) return { ...row, baseline: '', ratio: '' };
  const baseline = figureOf(values.baseline);
  const text = figureText(baseline, digits);
  return {
    ...row,
    baseline: against === undefined ? text : `${against}: ${text}`,
    ratio: isDifference ? differenceText(ours, baseline, digits) : (ours.median / baseline.median).toFixed(3),
  };
}

function differenceText(ours: Figure, baseline: Figure, digits: number): string {
  const difference = ours.median - baseline.median;
  return `${difference < 0 ? '' : '+'}${difference.toFixed(digits)}`;
}

/** Parts that `only` names, in its order. @throws BenchError for an unknown name */
export function chooseParts<P extends { readonly name: string }>(
  parts: readonly P[],
  only: string | undefined,
): readonly P[] {
  if (only === undefined) return parts;
  return only.split(',').map((name) => {
    const found = parts.find((part) => part.name === name.trim());
    if (found !== undefined) return found;
    throw new BenchError(`unknown part "${name}": one of ${parts.map((part) => part.name).join(', ')}`);
  });
}

/** Measures the chosen parts of a benchmark, and prints the report of each. */
export async function runParts(benchmark: string, parts: readonly Part[], options: BenchOptions): Promise<void> {
  for (const part of chooseParts(parts, options.only)) {
    say(part.title);
    const found = await withStops((stops) => part.run(options, stops));
    const body = typeof found === 'string' ? found : rowsText(found, part.peer);
    process.stdout.write(`## ${benchmark}: ${part.title}\n\n${machineText()}; ${part.method(options)}.\n\n${body}\n\n`);
  }
}

function rowsText(rows: readonly Row[], peer: string | undefined): string {
  const head = ['measured', 'vantage', peer ?? 'baseline', 'ratio or difference', 'goal'];
  return tableText(
    head,
    rows.map(({ what, ours, baseline, ratio, goal }) => [what, ours, baseline, ratio, goal]),
  );
}

/** Machine that the figures were measured on. */
export function machineText(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `${cpus().length} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}

/** A table in Markdown. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
