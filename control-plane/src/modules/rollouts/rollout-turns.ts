import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { program } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { Rounds } from '../../runtime/rounds.js';
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

interface RolloutTurnsOptions {
  readonly db: Knex;
  readonly directory: Pick<NodeDirectory, 'announce'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Carries roll-outs on. A step is one transaction that holds the row of the roll-out: whichever replica takes it, it is taken
 * once, and a replica that dies in between has done nothing.
 */
export class RolloutTurns {
  readonly #rounds: Rounds;
  #isStarted = false;

  constructor(private readonly options: RolloutTurnsOptions) {
    const { db, clock, log } = options;
    this.#rounds = new Rounds({
      name: 'rollouts',
      everyMs: LOOK_MS,
      isDue: () => hasRolloutWork(db),
      turn: (isStopped) => this.run(isStopped),
      onFailed: (error) => log.warn({ err: error }, 'cannot carry on with roll-outs, retrying'),
      clock,
    });
  }

  start(): void {
    this.#isStarted = true;
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Looks at once; a command, which starts nothing, leaves the work to a server. */
  look(): void {
    if (this.#isStarted) this.#rounds.look();
  }

  /** Takes every step that is due. */
  async run(isStopped = () => false): Promise<void> {
    const waiting: string[] = [];
    while (!isStopped()) {
      const taken = await this.options.db.transaction((trx) => this.#takeStep(trx, waiting));
      if (taken === null) return;
      if (taken.step.kind === 'wait') waiting.push(taken.id);
      // the request is stored even if the announcement fails: directories poll too
      if (taken.nodeIds.length > 0) await this.options.directory.announce(taken.nodeIds).catch(() => {});
    }
  }

  async #takeStep(
    trx: Knex.Transaction,
    except: readonly string[],
  ): Promise<{ id: string; step: Step; nodeIds: string[] } | null> {
    const rollout = await claimRollout(trx, except);
    if (rollout === null) return null;
    const { id } = rollout;
    await settleNodes(trx, rollout);
    const counts = (await countNodes(trx, [id])).get(id);
    if (rollout.state !== 'running' || counts === undefined) return { id, step: { kind: 'wait' }, nodeIds: [] };
    const step = decideStep({ ...rollout, counts, ...(await countAvailable(trx, id)) });
    return { id, step, nodeIds: await this.#perform(trx, rollout, step) };
  }

  async #perform(trx: Knex.Transaction, rollout: Rollout, step: Step): Promise<string[]> {
    const { id, version } = rollout;
    switch (step.kind) {
      case 'request':
        return this.#request(trx, rollout, step.nodes);
      case 'halt':
        await updateState(trx, id, 'halted');
        await note(trx, rollout, 'rollout.halted');
        this.options.log.warn({ rolloutId: id, version }, 'roll-out halted, too many nodes failed');
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

  async #request(trx: Knex.Transaction, rollout: Rollout, count: number): Promise<string[]> {
    const { id, version } = rollout;
    const nodes = await requestUpgrades(trx, rollout, count);
    for (const { id: subject, owner_id: accountId } of nodes) {
      const details = { version, rollout: id };
      await insertAuditEntry(trx, { actor: program, accountId, action: 'node.upgrade_requested', subject, details });
    }
    return nodes.map((node) => node.id);
  }
}

async function note(
  trx: Knex,
  { id: subject, version }: Rollout,
  action: 'rollout.halted' | 'rollout.completed',
): Promise<void> {
  await insertAuditEntry(trx, { actor: program, accountId: null, action, subject, details: { version } });
}
