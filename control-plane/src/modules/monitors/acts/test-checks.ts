import { type Clock, delay } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import { type CheckRow, listAskedChecks } from '../checks/check-store.js';
import { listLinkedAssignments } from '../definition/assignment-store.js';
import { openSecrets, purposeOf, refuseMoved } from '../definition/sealed-secrets.js';
import type { KnownMonitorRow } from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import type { CheckRequests } from './check-requests.js';

/** Tolerance for clocks of nodes that are behind, in milliseconds. */
const SKEW_MS = 5_000;
/** Delay between two looks for checks that have arrived. */
const LOOK_MS = 200;

interface TestChecksOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly checkRequests: Pick<CheckRequests, 'ask'>;
}

/** Checks that are requested in addition to the schedule. */
export class TestChecks {
  constructor(private readonly options: TestChecksOptions) {}

  /**
   * Requests a check of a monitor from each of its linked nodes. @returns the checks that arrived before all nodes had reported
   * or the time was over, and the nodes that have not reported
   * @throws ApiError VALIDATION_FAILED for a heartbeat, and for secrets that were given for another target; MONITOR_PAUSED, NODE_OFFLINE
   */
  async run(
    monitor: KnownMonitorRow,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<{ rows: CheckRow[]; waiting: readonly string[] }> {
    const { db, clock, checkRequests, sealer } = this.options;
    const { id, key, type, status } = monitor;
    if (type === HEARTBEAT) throw noChecks();
    if (status !== 'active') throw new ApiError('MONITOR_PAUSED');
    refuseMoved(openSecrets(monitor, sealer), purposeOf(monitor.target, monitor.config));
    const asked = await listLinkedAssignments(db, id);
    if (asked.length === 0) throw new ApiError('NODE_OFFLINE', { retryAfterSeconds: 30 });
    const since = new Date(clock.now() - SKEW_MS);
    const before = new Set((await listAskedChecks(db, key, since)).map(nameOf));
    checkRequests.ask(asked);
    const deadlineMs = clock.monotonicMs() + waitMs;
    for (;;) {
      const rows = (await listAskedChecks(db, key, since)).filter((row) => !before.has(nameOf(row)));
      const waiting = asked.map(({ nodeId }) => nodeId).filter((nodeId) => !rows.some((row) => row.node_id === nodeId));
      if (waiting.length === 0 || clock.monotonicMs() >= deadlineMs || signal.aborted) return { rows, waiting };
      await delay(clock, LOOK_MS, signal).catch(() => {});
    }
  }
}

function nameOf({ node_id, at }: CheckRow): string {
  return `${node_id} ${at.getTime()}`;
}

function noChecks(): ApiError {
  const message = 'is of type "heartbeat", which no node checks';
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { type: [{ code: 'not_supported', message }] } });
}
