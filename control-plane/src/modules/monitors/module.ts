import type { Services } from '../../http/route.js';
import { defineModule, type House } from '../module.js';
import { monitorActions } from './actions.js';
import { monitorSuspension } from './acts/account-suspension.js';
import { EventActs } from './acts/event-acts.js';
import { MonitorActs } from './acts/monitor-acts.js';
import { deleteMonitorsOf } from './acts/release-store.js';
import { TestChecks } from './acts/test-checks.js';
import { deleteOldUplinkLosses } from './checks/uplink-store.js';
import { BadgeAddresses } from './definition/badge-addresses.js';
import { monitorSealer } from './definition/monitor-sealer.js';
import { monitorGroups } from './groups/monitor-groups.js';
import { History } from './history/history.js';
import { DueCount } from './judging/due-count.js';
import { monitorMails } from './mails/index.js';
import { maintenanceReads } from './maintenance/maintenance-reads.js';
import { maintenanceWindows, windowRevocation } from './maintenance/maintenance-windows.js';
import { MonitorMetrics } from './metrics.js';
import type { Monitors } from './monitors.js';
import { openLink } from './open-link.js';
import { type MonitorWork, openWork } from './open-work.js';
import type { AssignmentChange } from './placement/assignment-announcements.js';
import { EventReading } from './reading/event-reading.js';
import { LiveReading } from './reading/live-reading.js';
import { Reading } from './reading/reading.js';
import { monitorRoutes } from './routes.js';
import { MonitorTransfer } from './transfer/monitor-transfer.js';

/** Monitors: settings, placement, judging, events, heartbeats, maintenance windows, history, import and export. */
export const monitorsModule = defineModule({
  name: 'monitors',
  actions: monitorActions,
  tags: {
    Monitors:
      'Recurring checks from many nodes, their results, badges, and periods when a monitor was down or degraded.',
    'Check-ins': 'Calls by which a job reports that it started, succeeded or failed, for monitors of type `heartbeat`.',
  },
  routes: monitorRoutes,
  mails: monitorMails,
  metrics: MonitorMetrics,
  open(house, services) {
    const { db, agentsDb, clock, registry } = house;
    const metrics = new MonitorMetrics(registry);
    const work = openWork(house, metrics);
    const due = new DueCount(agentsDb, clock);
    metrics.watchDue(() => due.read());
    const service = openMonitors(house, work, services);
    return {
      service,
      startables: work.startables,
      upkeep: [() => deleteOldUplinkLosses(db)],
      link: openLink(house, { judges: work.judges, counts: metrics }),
      release: deleteMonitorsOf,
      revocation: windowRevocation,
      export: async (owner) => ({
        monitors: (await service.transfer.exportOf(owner)).monitors,
        monitor_groups: await monitorGroups.exportOf(db, owner, clock.now()),
        maintenance_windows: await maintenanceWindows.exportOf(db, owner, clock.now()),
      }),
      suspension: monitorSuspension({ clock, heartbeats: work.heartbeats.acts }),
    };
  },
});

function openMonitors(
  { config, db, agentsDb, clock, lists, secretKey, publicUrl }: House,
  work: MonitorWork,
  services: Services,
): Monitors {
  const { announcements, checkRequests, judges, placing, heartbeats } = work;
  const sealer = monitorSealer(secretKey);
  const onAssigned = (changes: readonly AssignmentChange[]) => announcements.announce(changes);
  const own = { db, clock, plans: config.plans, sealer, onAssigned, heartbeats: heartbeats.acts };
  // the module alerts is opened later
  const policyReferences = () => services.alerts.references;
  const acts = new MonitorActs({ ...own, policy: () => lists.policy, placing, policyReferences });
  const badges = new BadgeAddresses(secretKey, publicUrl);
  const reads = { db, clock, maintenance: maintenanceReads };
  return {
    now: () => clock.now(),
    judge: () => judges.look(),
    acts,
    reading: new Reading({ ...reads, heartbeats: heartbeats.acts, badges, placing, sealer }),
    live: new LiveReading({ db: agentsDb, maintenance: maintenanceReads, now: () => clock.now() }),
    history: new History(reads),
    testChecks: new TestChecks({ db, clock, sealer, checkRequests }),
    events: new EventReading(db),
    eventActs: new EventActs({ db, clock, onDue: () => judges.look() }),
    heartbeats,
    transfer: new MonitorTransfer({ ...own, acts }),
  };
}
