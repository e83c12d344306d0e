import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'docs', 'benchmarks.md');

const head = `# Benchmarks

Measured by \`npm run bench -- NAME\` on one machine, load generator and targets on the same cores. Each figure stands beside
a baseline of the same run; medians over the rounds, with the least and the most in parentheses. Figures of another
machine differ; ratios travel better.
`;

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

/** Replaces the section of a benchmark in docs/benchmarks.md, or adds it. */
export function writeReport(name: string, report: string): void {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const text = existsSync(file) ? readFileSync(file, 'utf8') : head;
  const section = `${begin}\n${report.trim()}\n${end}`;
  const start = text.indexOf(begin);
  const stop = text.indexOf(end);
  const next =
    start < 0 || stop < 0
      ? `${text.trimEnd()}\n\n${section}\n`
      : text.slice(0, start) + section + text.slice(stop + end.length);
  writeFileSync(file, next);
}
