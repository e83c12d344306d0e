import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import { CheckingNode } from './checking-node.js';
import { keepEvents, monitorEvents } from './kept-events.js';
import { lastingLeases } from './lasting-lease.js';
import { type Stack, startStack } from './stack.js';

const rounds = ['judging', 'staleness', 'events', 'alerts'];

/** A control plane that judges stored checks, and looks for further work when a test waits for its outcome. */
export interface JudgingStack extends Stack {
  readonly db: Knex;
  /** Takes a turn of every round. */
  look(): Promise<void>;
  /** Looks until the condition is true. */
  lookUntil(what: string, isTrue: () => Promise<boolean>): Promise<void>;
}

export async function startJudging(t: Test): Promise<JudgingStack> {
  const clock = new FakeClock(Date.now(), { rounds });
  const stack = await startStack(t, {}, clock);
  await lastingLeases(stack.database.db);
  await keepEvents(stack.database.db);
  const look = async () => {
    clock.setWall(Date.now());
    await clock.sweep();
  };
  return {
    ...stack,
    db: stack.database.db,
    look,
    lookUntil: (what, isTrue) =>
      until(what, async () => {
        await look();
        return isTrue();
      }),
  };
}

/** A monitor that only one node checks, which the test controls. */
export class JudgedMonitor {
  private constructor(
    private readonly stack: JudgingStack,
    readonly id: string,
    readonly node: CheckingNode,
  ) {}

  static async create(t: Test, stack: JudgingStack): Promise<JudgedMonitor> {
    const node = await CheckingNode.join(t, stack.api);
    const selection = { interval_s: 60, node_selection: { node_ids: [node.nodeId] } };
    const body = { name: node.nodeId, type: 'tcp', target: '127.0.0.1:9', ...selection };
    const { id } = (await stack.api.call('POST', '/v1/monitors', { body })).body.data;
    await node.waitForAssignment(id);
    return new JudgedMonitor(stack, id, node);
  }

  /** Rows of the monitor in a table that refers to it. */
  rows(table: string): Knex.QueryBuilder {
    return this.stack.db(table).where({ monitor_id: this.id });
  }

  async status(): Promise<string> {
    return (await this.rows('monitor_states').first()).health;
  }

  becomes(status: string): Promise<void> {
    return this.stack.lookUntil(`the monitor to be ${status}`, async () => (await this.status()) === status);
  }

  /** Delivers a check, and waits for its effect. */
  async says(outcome: 'ok' | 'degraded' | 'failed'): Promise<void> {
    this.node.check(this.id, outcome);
    await this.becomes({ ok: 'up', degraded: 'degraded', failed: 'down' }[outcome]);
  }

  /** Waits until everything that was due has been judged. */
  isJudged(): Promise<void> {
    return this.stack.lookUntil('nothing to be due', async () => (await this.rows('monitor_due')).length === 0);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into events
  async events(): Promise<any[]> {
    return (await this.stack.api.call('GET', `/v1/monitors/${this.id}/events`)).body.data.items;
  }

  /** Its kept events. */
  publishedEvents(): Knex.QueryBuilder {
    return monitorEvents(this.stack.db).where({ subject: this.id });
  }
}
