import { hasDueRows } from '../../../db/due-rows.js';
import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import { listUnresolved, lockFreeAlerts } from '../events/alert-store.js';
import { takeDataWaits } from '../events/data-wait-store.js';
import { claimDue, deleteDue, postponeDue } from '../events/due-store.js';
import { BUNDLES_AT_ONCE, type Digests } from './digests.js';
import type { NodeNotices } from './node-notices.js';
import type { Relay } from './relay.js';

const LOOK_MS = 1_000;
const AT_ONCE = 1_000;
const DUE_TABLES = ['alert_due', 'alert_data_waits', 'alert_bundles', 'alert_node_waits'] as const;

interface AlertWatchOptions extends BackgroundParts {
  readonly relay: Pick<Relay, 'look' | 'lookForData'>;
  readonly digests: Pick<Digests, 'make'>;
  readonly nodeNotices: Pick<NodeNotices, 'notifyDue'>;
}

/** Looks at all alerts that are due, then makes the messages of all bundles that are due, and notices of nodes. */
export function alertWatch(options: AlertWatchOptions): Rounds {
  const { db, clock, log, digests, nodeNotices } = options;
  return background({
    name: 'alerts',
    everyMs: LOOK_MS,
    isDue: () => hasDueRows(db, DUE_TABLES, new Date(clock.now())),
    look: async (isStopped) => {
      await workOff(isStopped, AT_ONCE, () => lookForSomeData(options));
      await workOff(isStopped, AT_ONCE, () => lookAtSome(options));
      await workOff(isStopped, BUNDLES_AT_ONCE, () => db.transaction((trx) => digests.make(trx, clock.now())));
      if (!isStopped()) await db.transaction((trx) => nodeNotices.notifyDue(trx));
    },
    failing: 'cannot look at alerts that are due, retrying',
    clock,
    log,
  });
}

/** @returns how many monitors were to be looked at */
function lookForSomeData({ db, clock, relay }: AlertWatchOptions): Promise<number> {
  return db.transaction(async (trx) => {
    const waits = await takeDataWaits(trx, clock.now(), AT_ONCE);
    if (waits.length > 0) await relay.lookForData(trx, waits);
    return waits.length;
  });
}

/** @returns how many marks there were */
function lookAtSome({ db, clock, relay }: AlertWatchOptions): Promise<number> {
  return db.transaction(async (trx) => {
    const due = await claimDue(trx, clock.now(), AT_ONCE);
    if (due.length === 0) return 0;
    const wanted = [...new Set(due.map(({ alert_id: id }) => id))];
    // never waits for an alert while it holds a mark: who has locked an alert may be about to mark it
    const alerts = await lockFreeAlerts(trx, wanted);
    const locked = new Set(alerts.map(({ id }) => id));
    const busy = new Set(
      await listUnresolved(
        trx,
        wanted.filter((id) => !locked.has(id)),
      ),
    );
    await relay.look(trx, alerts);
    const later = due.filter(({ alert_id: id }) => busy.has(id)).map(({ id }) => id);
    if (later.length > 0) await postponeDue(trx, later, clock.now() + LOOK_MS);
    await deleteDue(
      trx,
      due.filter(({ alert_id: id }) => !busy.has(id)).map(({ id }) => id),
    );
    return due.length;
  });
}
