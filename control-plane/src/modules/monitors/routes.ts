import type { AnyRoute } from '../../http/route.js';
import { monitorGroups } from './groups/monitor-groups.js';
import { maintenanceWindows } from './maintenance/maintenance-windows.js';
import { listAllMonitorEvents } from './routes/account-events.js';
import { getBadge } from './routes/badge.js';
import { getBars } from './routes/bars.js';
import { checkInRoutes } from './routes/check-in.js';
import { listChecks } from './routes/checks.js';
import { deleteMonitorGroup } from './routes/delete-group.js';
import {
  acknowledgeMonitorEvent,
  markMonitorEventFalsePositive,
  resolveMonitorEvent,
  writeMonitorEventNotes,
} from './routes/event-acts.js';
import { getMonitorEvent, listMonitorEvents } from './routes/events.js';
import { changeMonitor, createMonitor, deleteMonitor, getMonitor, listMonitors } from './routes/monitors.js';
import { listPings } from './routes/pings.js';
import { pushRoutes } from './routes/push.js';
import { rotateToken } from './routes/rotate-token.js';
import { statusActs } from './routes/status.js';
import { testMonitor } from './routes/test-monitor.js';
import { getTimeseries } from './routes/timeseries.js';
import { exportMonitors, importMonitors } from './routes/transfer.js';
import { getUptime } from './routes/uptime.js';

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
  getBars,
  getTimeseries,
  acknowledgeMonitorEvent,
  resolveMonitorEvent,
  markMonitorEventFalsePositive,
  writeMonitorEventNotes,
  ...Object.values({ ...monitorGroups.routes, delete: deleteMonitorGroup }),
  ...Object.values(maintenanceWindows.routes),
  rotateToken,
  listPings,
  ...checkInRoutes,
  ...pushRoutes,
  getBadge,
];
