import type { Knex } from 'knex';
import { program } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { type BackgroundParts, background, type Rounds } from '../../runtime/background.js';
import type { NodeDirectory } from '../nodes/index.js';
import type { Rollout } from './rollout.js';
import { decideStep, type Step } from './stage-decision.js';
import {
  beginNextStage,
  claimRollout,
  countAvailable,
  countNodes,
  endStage,
  hasRolloutWork,
  requestUpgrades,
  settleNodes,
  updateState,
} from './store.js';

const LOOK_MS = 2_000;

interface RolloutTurnsOptions extends BackgroundParts {
  readonly directory: Pick<NodeDirectory, 'announce'>;
}

/**
 * Carries roll-outs on. A step is one transaction that holds the row of the roll-out: whichever replica takes it, it is taken
 * once, and a replica that dies in between has done nothing.
 */
export function rolloutTurns({ db, directory, clock, log }: RolloutTurnsOptions): Rounds {
  return background({
    name: 'rollouts',
    everyMs: LOOK_MS,
    isDue: () => hasRolloutWork(db),
    look: async (isStopped) => {
      const waiting: string[] = [];
      while (!isStopped()) {
        const taken = await db.transaction((trx) => takeStep(trx, waiting));
        if (taken === null) return;
        const { id, version } = taken.rollout;
        if (taken.step.kind === 'wait') waiting.push(id);
        if (taken.step.kind === 'halt') log.warn({ rolloutId: id, version }, 'roll-out halted, too many nodes failed');
        // the request is stored even if the announcement fails: directories poll too
        if (taken.nodeIds.length > 0) await directory.announce(taken.nodeIds).catch(() => {});
      }
    },
    failing: 'cannot carry on with roll-outs, retrying',
    clock,
    log,
  });
}

async function takeStep(
  trx: Knex.Transaction,
  except: readonly string[],
): Promise<{ rollout: Rollout; step: Step; nodeIds: string[] } | null> {
  const rollout = await claimRollout(trx, except);
  if (rollout === null) return null;
  const { id } = rollout;
  await settleNodes(trx, rollout);
  const counts = (await countNodes(trx, [id])).get(id);
  if (rollout.state !== 'running' || counts === undefined) return { rollout, step: { kind: 'wait' }, nodeIds: [] };
  const step = decideStep({ ...rollout, counts, ...(await countAvailable(trx, id)) });
  return { rollout, step, nodeIds: await perform(trx, rollout, step) };
}

async function perform(trx: Knex.Transaction, rollout: Rollout, step: Step): Promise<string[]> {
  const { id } = rollout;
  switch (step.kind) {
    case 'request':
      return request(trx, rollout, step.nodes);
    case 'halt':
      await updateState(trx, id, 'halted');
      await note(trx, rollout, 'rollout.halted');
      return [];
    case 'finish':
      await updateState(trx, id, 'done');
      await note(trx, rollout, 'rollout.completed');
      return [];
    case 'end-stage':
      await endStage(trx, id);
      return [];
    case 'next-stage':
      await beginNextStage(trx, id);
      return [];
    case 'wait':
      return [];
  }
}

async function request(trx: Knex.Transaction, rollout: Rollout, count: number): Promise<string[]> {
  const { id, version } = rollout;
  const nodes = await requestUpgrades(trx, rollout, count);
  for (const { id: subject, owner_id: accountId } of nodes) {
    const details = { version, rollout: id };
    await insertAuditEntry(trx, { actor: program, accountId, action: 'node.upgrade_requested', subject, details });
  }
  return nodes.map((node) => node.id);
}

async function note(
  trx: Knex,
  { id: subject, version }: Rollout,
  action: 'rollout.halted' | 'rollout.completed',
): Promise<void> {
  await insertAuditEntry(trx, { actor: program, accountId: null, action, subject, details: { version } });
}
