import type { Knex } from 'knex';
import { program } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';

// NOTE: the condition is that of an index of the table
const PENDING = `upgrade_state IN ('requested', 'running')`;

/** Time after which an upgrade without an outcome has failed. */
export const UPGRADE_TIME_LIMIT_MINUTES = 15;

/** Reply of a node to an upgrade request. */
export interface UpgradeReport {
  readonly nodeId: string;
  readonly sessionId: string;
  /** Time of the request it replies to. */
  readonly requestedAt: Date;
  /** Reason for the failure; null if the upgrade runs. */
  readonly failure: string | null;
}

interface UpgradeRow {
  readonly id: string;
  readonly owner_id: string;
  readonly upgrade_version: string;
}

/** Stores a reply, from the live link only. @returns false if the upgrade had already ended */
export function storeUpgradeReport(db: Knex, report: UpgradeReport): Promise<boolean> {
  const { failure } = report;
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: UpgradeRow[] }>(
      `UPDATE nodes SET upgrade_state = :state, upgrade_error = :failure
       WHERE id = :nodeId AND session_id = :sessionId AND upgrade_requested_at = :requestedAt AND ${PENDING}
       RETURNING id, owner_id, upgrade_version`,
      { ...report, state: failure === null ? 'running' : 'failed' },
    );
    if (failure !== null) await auditFailures(trx, rows, failure);
    return rows.length === 1;
  });
}

/** Ends a node's upgrade whose version runs now, even one that was given up. @returns false if there was none */
export function finishUpgrade(db: Knex, nodeId: string): Promise<boolean> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: UpgradeRow[] }>(
      `UPDATE nodes SET upgrade_state = 'done', upgrade_error = NULL
       WHERE id = ? AND upgrade_version = agent_version AND upgrade_state <> 'done'
       RETURNING id, owner_id, upgrade_version`,
      [nodeId],
    );
    for (const { id: subject, owner_id: accountId, upgrade_version: version } of rows)
      await insertAuditEntry(trx, {
        actor: program,
        accountId,
        action: 'node.upgraded',
        subject,
        details: { version },
      });
    return rows.length === 1;
  });
}

/** Ends upgrades that took too long. @returns ids of their nodes */
export function failOverdueUpgrades(db: Knex): Promise<string[]> {
  return db.transaction(async (trx) => {
    const reason = `the node did not come back with this version within ${UPGRADE_TIME_LIMIT_MINUTES} minutes`;
    const { rows } = await trx.raw<{ rows: UpgradeRow[] }>(
      `UPDATE nodes SET upgrade_state = 'failed', upgrade_error = :reason
       WHERE ${PENDING} AND upgrade_requested_at < now() - :minutes * interval '1 minute'
       RETURNING id, owner_id, upgrade_version`,
      { reason, minutes: UPGRADE_TIME_LIMIT_MINUTES },
    );
    await auditFailures(trx, rows, reason);
    return rows.map(({ id }) => id);
  });
}

async function auditFailures(trx: Knex, rows: readonly UpgradeRow[], reason: string): Promise<void> {
  for (const { id: subject, owner_id: accountId, upgrade_version: version } of rows) {
    const details = { version, reason };
    await insertAuditEntry(trx, { actor: program, accountId, action: 'node.upgrade_failed', subject, details });
  }
}
