import type { Report, Section } from './report.js';

/** Bytes of a stored report at most, as JSON. */
export const MAX_REPORT_BYTES = 512 * 1024;
/** Bytes of the headers of one response that are kept where a report is too large. */
const MAX_HEADER_BYTES = 4096;

/** A report that fits, and if anything was cut from it. */
export type FittedReport = Report & { readonly truncated: boolean };

type Cut = (member: string, value: unknown) => unknown;

/** Cuts in the order in which they are made; each is made only if the report is still too large. */
const cuts: readonly Cut[] = [
  (member, value) => (member === 'body' ? undefined : value),
  (member, value) => (member === 'headers' ? cutHeaders(value) : value),
  (member, value) => (member === 'replies' ? [] : value),
];

/** Cuts bodies, then headers beyond 4 KiB, then replies of hops, and at last all facts, until the report fits. */
export function fitReport(report: Report): FittedReport {
  let fitted: FittedReport = { ...report, truncated: false };
  for (const [step, cut] of cuts.entries()) {
    // megabytes of bodies need not be written as JSON to know that they are too many
    const hasLargeBodies = step === 0 && charactersOfBodies(report) > MAX_REPORT_BYTES;
    if (!hasLargeBodies && bytesOf(fitted) <= MAX_REPORT_BYTES) return fitted;
    fitted = { ...withFacts(fitted, (facts) => cutIn(facts, cut) as Section['facts']), truncated: true };
  }
  if (bytesOf(fitted) <= MAX_REPORT_BYTES) return fitted;
  return { ...withFacts(fitted, () => ({})), truncated: true };
}

function withFacts(report: FittedReport, change: (facts: Section['facts']) => Section['facts']): FittedReport {
  const sections = Object.entries(report.sections).map(([name, section]) => [
    name,
    { ...section, facts: change(section.facts) },
  ]);
  return { ...report, sections: Object.fromEntries(sections) };
}

function cutIn(value: unknown, cut: Cut): unknown {
  if (Array.isArray(value)) return value.map((member) => cutIn(member, cut));
  if (typeof value !== 'object' || value === null) return value;
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const left = cut(name, member);
    if (left !== undefined) kept.push([name, left === member ? cutIn(member, cut) : left]);
  }
  return Object.fromEntries(kept);
}

/** Whole headers, in their order, as many as fit. */
function cutHeaders(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return headers;
  let left = MAX_HEADER_BYTES;
  const kept = Object.entries(headers).filter(([name, value]) => {
    left -= Buffer.byteLength(`${name}: ${String(value)}`);
    return left >= 0;
  });
  return Object.fromEntries(kept);
}

function charactersOfBodies({ sections }: Report): number {
  const nodes = sections.http?.facts['nodes'];
  if (!Array.isArray(nodes)) return 0;
  return nodes.reduce((sum: number, { body }) => sum + (typeof body === 'string' ? body.length : 0), 0);
}

function bytesOf(report: FittedReport): number {
  return Buffer.byteLength(JSON.stringify(report));
}
