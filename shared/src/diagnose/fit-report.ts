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
  for (const cut of cuts) {
    if (fits(fitted)) return fitted;
    fitted = { ...withFacts(fitted, (facts) => cutIn(facts, cut) as Section['facts']), truncated: true };
  }
  if (fits(fitted)) return fitted;
  return { ...withFacts(fitted, () => ({})), truncated: true };
}

function withFacts(report: FittedReport, change: (facts: Section['facts']) => Section['facts']): FittedReport {
  const sections = Object.entries(report.sections).map(([name, section]) => [
    name,
    { ...section, facts: change(section.facts) },
  ]);
  return { ...report, sections: Object.fromEntries(sections) };
}

/** The value itself where nothing of it is cut: a report may have tens of thousands of objects. */
function cutIn(value: unknown, cut: Cut): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const changed = new Map<string, unknown>();
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name);
    const left = Array.isArray(value) ? member : cut(name, member);
    const kept = left === member ? cutIn(member, cut) : left;
    if (kept !== member) changed.set(name, kept);
  }
  if (changed.size === 0) return value;
  const members = Object.entries(value).map(([name, member]) => [name, changed.has(name) ? changed.get(name) : member]);
  if (Array.isArray(value)) return members.map(([, member]) => member);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
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

function fits(report: FittedReport): boolean {
  let bytes = 0;
  // megabytes of results need not all be written as JSON to know that they are too many
  for (const { facts } of Object.values(report.sections)) {
    for (const result of Array.isArray(facts['nodes']) ? facts['nodes'] : []) {
      bytes += bytesOf(result);
      if (bytes > MAX_REPORT_BYTES) return false;
    }
  }
  return bytesOf(report) <= MAX_REPORT_BYTES;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
