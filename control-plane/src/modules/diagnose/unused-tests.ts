import { sentNodes } from './portions.js';
import type { PaidReport } from './report-row.js';

/** Node tests of a report that were taken and did not run. A second attempt is part of the first. Pure. */
export function unusedTests(report: Omit<PaidReport, 'receipt'>): number {
  const onAll = (['http', 'ssl', 'dns', 'ping', 'traceroute'] as const).map((kind) => sentNodes(report, kind));
  const zone = report.tasks.zone_audit === undefined ? 0 : 1;
  const headers = report.headers?.wasAsked === true ? 1 : 0;
  const ran = onAll.reduce((sum, nodes) => sum + nodes, zone + headers);
  return Math.max(0, report.cost - ran);
}
