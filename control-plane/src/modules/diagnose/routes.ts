import type { AnyRoute } from '../../http/route.js';
import { changeReport, deleteReport } from './routes/change-report.js';
import { createReport } from './routes/create-report.js';
import { getReport, listReports, streamReport } from './routes/read-reports.js';
import { reportPage } from './routes/report-page.js';

/** Every operation on diagnose reports, and their page. */
export const diagnoseRoutes: readonly AnyRoute[] = [
  createReport,
  listReports,
  getReport,
  streamReport,
  changeReport,
  deleteReport,
  reportPage,
];
