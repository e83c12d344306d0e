import { type SectionName, sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import { type FittedReport, fitReport } from '@vantage/shared/diagnose/fit-report.js';
import { remedyText } from '@vantage/shared/diagnose/remedies.js';
import { type Report, type Section, withText } from '@vantage/shared/diagnose/report.js';
import type { Locale } from '../../http/locale.js';
import type { Node } from '../nodes/index.js';
import type { ReportState } from './report-reader.js';
import type { ListedReport, SentTasks, TaskKind } from './report-row.js';
import type { ListedView, ReportView, SectionView } from './schema.js';

/** Lookups that the view of a report needs. */
interface ViewPorts {
  readonly locale: Locale;
  readonly publicUrl: string;
  /** Null if there is no such node, or the reader may not see it. */
  readonly findNode: (id: string) => Node | null;
}

/** Kinds of tasks of a section that its caller may read. */
const kindsOf: Readonly<Record<SectionName, readonly TaskKind[]>> = {
  http: ['http', 'plain_http'],
  ssl: ['ssl'],
  dns: ['dns'],
  security_headers: [],
  ping: ['ping'],
  traceroute: ['traceroute'],
};

/** A report as lists show it. */
export function listedView(row: ListedReport, publicUrl: string): ListedView {
  const { id, target, status, overall_score, scope, is_test, created_at, completed_at, shared } = row;
  return {
    id,
    target,
    status,
    overall_score,
    scope: [...scope],
    is_test,
    created_at: created_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
    shared,
    url: `${publicUrl}/d/${id}`,
  };
}

const known = new WeakMap<Report, FittedReport>();

/** As `fitReport`, once for all readers of a report. */
function fitted(report: Report): FittedReport {
  const fits = known.get(report) ?? fitReport(report);
  known.set(report, fits);
  return fits;
}

/** A report for a reader. */
export function reportView({ row, report }: ReportState, { locale, publicUrl, findNode }: ViewPorts): ReportView {
  const { sections, truncated } = 'truncated' in report ? report : fitted(report);
  const shown = sectionNames.flatMap((name) => {
    const section = sections[name];
    return section === undefined ? [] : [[name, sectionView(section, tasksOf(name, row.tasks), locale)]];
  });
  return {
    ...listedView(row, publicUrl),
    sections: Object.fromEntries(shown),
    nodes: row.node_ids.map((id) => ({ node_id: id, node: placeOf(findNode(id)) })),
    truncated,
  };
}

function tasksOf(name: SectionName, tasks: SentTasks): string[] {
  return kindsOf[name].flatMap((kind) => tasks[kind] ?? []);
}

function sectionView(section: Section, taskIds: string[], locale: Locale): SectionView {
  const findings = section.findings.map((finding) => {
    const { code, severity, message, penalty, node_ids } = withText(finding, locale);
    return { code, severity, message, remedy: remedyText(code, locale), penalty, node_ids: [...node_ids] };
  });
  return { ...section, findings, task_ids: taskIds };
}

function placeOf(node: Node | null) {
  return {
    asn: node?.asn ?? null,
    city: node?.city ?? null,
    country: node?.country ?? null,
    isp: node?.isp ?? null,
    region: node?.region ?? null,
  };
}
