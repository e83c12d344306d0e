import type { AnyRoute } from '../../http/route.js';
import { listChecks } from './routes/checks.js';
import { getMonitorEvent, listMonitorEvents } from './routes/events.js';
import { changeMonitor, createMonitor, deleteMonitor, getMonitor, listMonitors } from './routes/monitors.js';
import { statusActs } from './routes/status.js';
import { exportMonitors, importMonitors } from './routes/transfer.js';

/** Every operation on monitors. */
export const monitorRoutes: readonly AnyRoute[] = [
  listMonitors,
  createMonitor,
  exportMonitors,
  importMonitors,
  getMonitor,
  changeMonitor,
  deleteMonitor,
  ...statusActs,
  listChecks,
  listMonitorEvents,
  getMonitorEvent,
];
