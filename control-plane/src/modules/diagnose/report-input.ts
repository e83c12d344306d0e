import { isJudged, type NodeResult } from '@vantage/shared/diagnose/node-results.js';
import type { DiagnoseInput } from '@vantage/shared/diagnose/report.js';
import { parseDiagnoseTarget } from '@vantage/shared/diagnose/target.js';
import type { AsnOf } from '@vantage/shared/probe-types/definition.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { ZONE_ATTEMPTS } from './portions.js';
import type { ReportRow, TaskKind } from './report-row.js';

/** Result of a node for a task of any kind. */
interface AnyResult {
  readonly nodeId: string;
  readonly result: ProbeResults[keyof ProbeResults];
}

/** Results so far of the tasks of each kind. */
export type ResultsByKind = Readonly<Partial<Record<TaskKind, readonly AnyResult[]>>>;

/** Everything that a report rests on, as it is known so far. Pure. */
export function reportInput(row: ReportRow, results: ResultsByKind, asnOf: AsnOf): DiagnoseInput {
  const { tasks } = row;
  // a task of a kind has results of this type: ingest checks it
  const of = <T extends 'http' | 'ssl' | 'dns' | 'ping' | 'traceroute'>(kind: T | 'plain_http') =>
    (results[kind] ?? []) as NodeResult<T>[];
  const firstIds = (['http', 'ssl', 'dns', 'ping', 'traceroute'] as const).flatMap((name) => {
    const [id] = tasks[name] ?? [];
    return id === undefined ? [] : [[name, id]];
  });
  return {
    target: parseDiagnoseTarget(row.target),
    scope: new Set(row.scope),
    nodeIds: row.node_ids,
    isOver: row.is_over,
    taskIds: Object.fromEntries(firstIds),
    http: of<'http'>('http'),
    plainHttp: of<'http'>('plain_http'),
    ssl: of<'ssl'>('ssl'),
    dns: of<'dns'>('dns'),
    ping: of<'ping'>('ping'),
    traceroute: of<'traceroute'>('traceroute'),
    zone: zoneOf(results, row),
    headers: row.headers,
    asnOf,
  };
}

/** Audits of the zone that ended because of their node. Pure. */
export function failedAudits({ zone_audit: audits = [] }: ResultsByKind): number {
  return audits.filter((audit) => !isJudged(audit)).length;
}

/** The audit that says something about the zone; null as long as one may come. */
function zoneOf({ zone_audit: audits = [] }: ResultsByKind, { node_ids }: ReportRow): DiagnoseInput['zone'] {
  const attempts = Math.min(ZONE_ATTEMPTS, node_ids.length);
  const judged = audits.find(isJudged) ?? (audits.length === attempts ? audits.at(-1) : undefined);
  if (judged === undefined) return null;
  const result = judged.result as ProbeResults['zone_audit'];
  return { nodeId: judged.nodeId, error: result.error, value: result.error === null ? result : null };
}
