import { CHECK_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { Rounds } from '../../runtime/background.js';
import type { House, LinkPart } from '../module.js';
import { monitorKinds, parseNodeState } from './checks/check-kinds.js';
import { checkDaysOf } from './checks/check-store.js';
import { takeNewestStates } from './checks/newest-states-store.js';
import { ReportAllowance } from './checks/report-allowance.js';
import type { MonitorCounts } from './definition/monitor-counts.js';
import { monitorSealer } from './definition/monitor-sealer.js';
import { assignedWork } from './placement/assigned-work.js';

/** Creates the part of monitors that links and ingest use. */
export function openLink(
  house: House,
  { judges, counts }: { readonly judges: Rounds; readonly counts: MonitorCounts },
): LinkPart {
  const { agentsDb: db, config, secretKey, clock } = house;
  const log = house.log.child({ part: 'monitors' });
  return {
    kinds: monitorKinds({
      keptFor: checkDaysOf(config.plans),
      onDue: () => judges.look(),
      counts,
      allowance: new ReportAllowance({ clock, log }),
    }),
    states: [
      {
        name: CHECK_KIND,
        parse: (_subject, body) => parseNodeState(body),
        onNewer: (nodeId, states) => {
          takeNewestStates(db, nodeId, states).then(
            () => judges.look(),
            (error: unknown) => log.warn({ err: error, nodeId }, 'cannot store the newest states of monitors'),
          );
        },
      },
    ],
    assigned: assignedWork({ db, sealer: monitorSealer(secretKey), log }),
  };
}
