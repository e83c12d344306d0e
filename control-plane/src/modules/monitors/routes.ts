import type { AnyRoute } from '../../http/route.js';
import { listAllMonitorEvents } from './routes/account-events.js';
import { getBadge } from './routes/badge.js';
import { checkInRoutes } from './routes/check-in.js';
import { listChecks } from './routes/checks.js';
import {
  acknowledgeMonitorEvent,
  markMonitorEventFalsePositive,
  resolveMonitorEvent,
  writeMonitorEventNotes,
} from './routes/event-acts.js';
import { getMonitorEvent, listMonitorEvents } from './routes/events.js';
import {
  changeMonitorGroup,
  createMonitorGroup,
  deleteMonitorGroup,
  getMonitorGroup,
  listMonitorGroups,
} from './routes/groups.js';
import { changeMonitor, createMonitor, deleteMonitor, getMonitor, listMonitors } from './routes/monitors.js';
import { listPings } from './routes/pings.js';
import { pushRoutes } from './routes/push.js';
import { rotateToken } from './routes/rotate-token.js';
import { statusActs } from './routes/status.js';
import { testMonitor } from './routes/test-monitor.js';
import { getTimeseries } from './routes/timeseries.js';
import { exportMonitors, importMonitors } from './routes/transfer.js';
import { getUptime } from './routes/uptime.js';
import {
  changeMaintenanceWindow,
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  listMaintenanceWindows,
} from './routes/windows.js';

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
  testMonitor,
  listChecks,
  listMonitorEvents,
  listAllMonitorEvents,
  getMonitorEvent,
  getUptime,
  getTimeseries,
  acknowledgeMonitorEvent,
  resolveMonitorEvent,
  markMonitorEventFalsePositive,
  writeMonitorEventNotes,
  listMonitorGroups,
  createMonitorGroup,
  getMonitorGroup,
  changeMonitorGroup,
  deleteMonitorGroup,
  listMaintenanceWindows,
  createMaintenanceWindow,
  getMaintenanceWindow,
  changeMaintenanceWindow,
  deleteMaintenanceWindow,
  rotateToken,
  listPings,
  ...checkInRoutes,
  ...pushRoutes,
  getBadge,
];
