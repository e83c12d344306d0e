import type { AnyRoute } from '../../http/route.js';
import { listChecks } from './routes/checks.js';
import { getMonitorEvent, listMonitorEvents } from './routes/events.js';
import { changeMonitor, createMonitor, deleteMonitor, getMonitor, listMonitors } from './routes/monitors.js';
import { statusActs } from './routes/status.js';
import { testMonitor } from './routes/test-monitor.js';
import { getTimeseries } from './routes/timeseries.js';
import { getUptime } from './routes/uptime.js';

/** Every operation on monitors. */
export const monitorRoutes: readonly AnyRoute[] = [
  listMonitors,
  createMonitor,
  getMonitor,
  changeMonitor,
  deleteMonitor,
  ...statusActs,
  testMonitor,
  listChecks,
  listMonitorEvents,
  getMonitorEvent,
  getUptime,
  getTimeseries,
];
