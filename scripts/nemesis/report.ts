import type { ClientCounts } from './clients.js';
import type { Finding } from './verdict.js';

/** Settings and results of a run of the nemesis. */
export interface NemesisReport {
  readonly seed: number;
  readonly minutes: number;
  readonly agents: number;
  readonly replicas: number;
  readonly faults: readonly {
    readonly at_ms: number;
    readonly for_ms: number;
    readonly kind: string;
    readonly says: string;
    /** Reason why it could not be inflicted or healed as planned, or null. */
    readonly error: string | null;
  }[];
  readonly counts: ClientCounts;
  /** Time from the last repair until all was quiet; null if it was not within twice the longest backoff. */
  readonly healedMs: number | null;
  readonly findings: readonly Finding[];
}

/** True if no breach was found. */
export function isClean({ findings, healedMs }: NemesisReport): boolean {
  return healedMs !== null && findings.every(({ breaches }) => breaches.length === 0);
}

/** The report for people. */
export function renderReport(report: NemesisReport): string {
  const { seed, minutes, agents, replicas, faults, counts, healedMs, findings } = report;
  const lines = [
    `seed ${seed}: ${minutes} min, ${replicas} replicas, ${agents} agents, ${faults.length} faults`,
    ...kindLines(faults),
    '',
    `submitted ${counts.submitted}, accepted ${counts.accepted}, refused ${refusedText(counts)}, given up ${counts.givenUp}`,
    `node tasks: ${counts.results} with a result, ${counts.lost} without`,
    healedMs === null ? 'did not settle' : `quiet ${(healedMs / 1_000).toFixed(1)} s after the last repair`,
    '',
    ...findings.flatMap(findingLines),
  ];
  return `${lines.join('\n')}\n`;
}

function kindLines(faults: NemesisReport['faults']): string[] {
  const counts = new Map<string, number>();
  for (const { kind } of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const failed = faults.filter(({ error }) => error !== null);
  return [
    ...[...counts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([kind, count]) => `  ${String(count).padStart(3)} ${kind}`),
    ...failed.map(({ kind, says, error }) => `  not as planned: ${kind}: ${says}: ${error}`),
  ];
}

function refusedText({ refused }: ClientCounts): string {
  const parts = Object.entries(refused).map(([code, count]) => `${count} ${code}`);
  return parts.length === 0 ? '0' : parts.join(', ');
}

const MAX_SHOWN = 20;

function findingLines({ id, says, breaches, notChecked }: Finding): string[] {
  if (breaches.length === 0 && notChecked !== null) return [`not checked ${id.padEnd(4)} ${says}: ${notChecked}`];
  if (breaches.length === 0) return [`ok          ${id.padEnd(4)} ${says}`];
  const more = breaches.length > MAX_SHOWN ? [`              and ${breaches.length - MAX_SHOWN} more`] : [];
  return [
    `BREACH      ${id.padEnd(4)} ${says}`,
    ...breaches.slice(0, MAX_SHOWN).map((text) => `              ${text}`),
    ...more,
  ];
}
