import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import { storeMissed } from '../../src/modules/monitors/checks/missed-store.js';
import { takeNewestStates } from '../../src/modules/monitors/checks/newest-states-store.js';
import { endAssignments, insertAssignments } from '../../src/modules/monitors/definition/assignment-store.js';
import { Judging } from '../../src/modules/monitors/judging/judging.js';
import { maintenanceReads } from '../../src/modules/monitors/maintenance/maintenance-reads.js';
import { keepEvents } from './kept-events.js';
import {
  instantOf,
  keyOf,
  newestOf,
  nodeStatesOf,
  parseSteps,
  type Step,
  type Trace,
  type TraceOutcome,
  timeOf,
} from './monitor-trace.js';
import { type Stack, startStack } from './stack.js';
import { aCheck, insertMonitor, type StoredMonitor, store } from './stored-monitor.js';
import { insertNode } from './stored-node.js';

// Runs traces through the product: checks of nodes are stored as when a link delivers them, people act by the API, and
// after every step the monitor is judged as by a replica whose clock shows that time.

const DAY_MS = 86_400_000;

/** A control plane whose time is moved by traces alone. */
export class TraceWorld {
  private constructor(
    private readonly stack: Stack,
    private readonly clock: FakeClock,
    /** Today, so that partitions exist. */
    private readonly startMs: number,
  ) {}

  static async start(t: Test): Promise<TraceWorld> {
    const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const clock = new FakeClock(startMs);
    const stack = await startStack(t, {}, clock);
    await keepEvents(stack.database.db);
    return new TraceWorld(stack, clock, startMs);
  }

  /** Outcome of a trace. @throws RangeError for an invalid step */
  async run(trace: Trace): Promise<TraceOutcome> {
    const { stack, clock, startMs } = this;
    clock.setWall(startMs);
    const run = await TraceRun.begin(stack, trace, startMs);
    for (const step of parseSteps(trace, startMs)) {
      clock.setWall(step.atMs);
      await run.perform(step);
      await run.judge(step.atMs);
    }
    return run.outcome();
  }
}

/** One trace, while it runs. */
class TraceRun {
  readonly #states: string[] = [];
  readonly #notified: string[] = [];
  readonly #said: ReturnType<typeof nodeStatesOf>;
  readonly #judging = new Judging({ maintenance: maintenanceReads.now });

  private constructor(
    private readonly stack: Stack,
    trace: Trace,
    private readonly startMs: number,
    private readonly monitor: StoredMonitor,
    private readonly nodeIds: ReadonlyMap<string, string>,
  ) {
    this.#said = nodeStatesOf(trace, parseSteps(trace, startMs));
  }

  static async begin(stack: Stack, trace: Trace, startMs: number): Promise<TraceRun> {
    const { db } = stack.database;
    const nodeIds = new Map<string, string>();
    for (const node of trace.nodes) nodeIds.set(node, await insertNode(db, { session_id: node }));
    const spare = new Set(trace.steps.flatMap((line) => / (\w+) is assigned$/.exec(line)?.[1] ?? []));
    const first = [...nodeIds].flatMap(([node, id]) => (spare.has(node) ? [] : [id]));
    const { config = {}, ...rule } = trace.monitor;
    const monitor = await insertMonitor(db, first, {
      owner_id: stack.api.userId,
      created_by: stack.api.userId,
      config: JSON.stringify(config),
      notifies_owner: false,
      ...rule,
    });
    // the database's clock is not the trace's
    await db('monitor_states')
      .where({ monitor_id: monitor.id })
      .update({ not_before: new Date(startMs) });
    return new TraceRun(stack, trace, startMs, monitor, nodeIds);
  }

  async perform(step: Step): Promise<void> {
    if (step.check !== null) return this.#deliver(step.check);
    for (const [pattern, act] of this.#acts(step.atMs)) {
      const [whole, ...words] = pattern.exec(step.text) ?? [];
      if (whole !== undefined) return void (await act(...words));
    }
    throw new RangeError(`"${step.text}" is not a known step`);
  }

  /** Judges the monitor, and records what has changed. */
  async judge(atMs: number): Promise<void> {
    const time = timeOf(atMs, this.startMs);
    await this.#db.transaction((trx) => this.#judging.judge(trx, [this.monitor.id], atMs));
    const [{ health, failing_nodes }] = await this.#db('monitor_states').where({ monitor_id: this.monitor.id });
    const failing = failing_nodes.length === 0 ? '' : `, though ${this.#names(failing_nodes)} fails`;
    const state = `${health}${failing}`;
    if (this.#states.at(-1)?.slice(9) !== state) this.#states.push(`${time} ${state}`);
    const kinds: string[] = await this.#db('outbox').where({ subject: this.monitor.id }).orderBy('id').pluck('kind');
    for (const kind of kinds.slice(this.#notified.length)) this.#notified.push(`${time} ${kind}`);
  }

  async outcome(): Promise<TraceOutcome> {
    const rows = await this.#db('monitor_events')
      .where({ monitor_id: this.monitor.id })
      .orderBy('started_at')
      .orderBy('id');
    const events = rows.map(({ type, started_at, ended_at, affected_nodes, reason }) => {
      const end = ended_at === null ? 'not over' : `to ${timeOf(ended_at.getTime(), this.startMs)}`;
      return `${type} from ${timeOf(started_at.getTime(), this.startMs)} ${end}, ${this.#names(affected_nodes)}: ${reason}`;
    });
    return { states: this.#states, events, told: this.#notified };
  }

  get #db(): Knex {
    return this.stack.database.db;
  }

  /** Actions that may happen in addition to checks. */
  #acts(atMs: number): [RegExp, (...words: string[]) => Promise<unknown>][] {
    const { id } = this.monitor;
    const link = (node: string, sessionId: string | null) =>
      this.#db('nodes')
        .where({ id: this.#idOf(node) })
        .update({ session_id: sessionId });
    return [
      [/^look$/, async () => {}],
      [/^(\w+) missed (behind|uplink_lost|stopped)$/, (node = '', reason = '') => this.#miss(node, reason, atMs)],
      [
        /^(\w+) loses its link$/,
        async (node = '') => {
          await link(node, null);
          // by the trigger's own clock
          await this.#db('nodes')
            .where({ id: this.#idOf(node) })
            .update({ left_at: new Date(atMs) });
        },
      ],
      [
        /^(\w+) is back$/,
        async (node = '') => {
          await link(node, node);
          await this.#reportNewest(node, atMs);
        },
      ],
      [/^(\w+) (fails|passes) its self-test$/, (node = '', how = '') => this.#testItself(node, how === 'passes')],
      [/^(\w+) is taken away$/, (node = '') => endAssignments(this.#db, id, [this.#idOf(node)])],
      [/^(\w+) is assigned$/, (node = '') => insertAssignments(this.#db, id, [this.#idOf(node)])],
      [/^window from (\S+) to (\S+)$/, (from = '', to = '') => this.#plan(from, to)],
      [/^pause$/, () => this.#call(`/v1/monitors/${id}/pause`)],
      [
        /^resume$/,
        async () => {
          await this.#call(`/v1/monitors/${id}/resume`);
          await insertAssignments(this.#db, id, [...this.nodeIds.values()]);
        },
      ],
      [/^resolve$/, () => this.#resolve()],
    ];
  }

  async #deliver({ node, slotMs, judgment }: NonNullable<Step['check']>): Promise<void> {
    const state = this.#said.get(keyOf(node, slotMs));
    if (state === undefined || state.since === null) throw new RangeError(`${node} did not check then`);
    const { outcome, responseMs, statusCode, error } = judgment;
    const said = { verdict: state.verdict, since_ms: state.since, streak: 1 };
    const report = { slot_ms: slotMs, outcome, response_ms: responseMs, status_code: statusCode, error, state: said };
    const generation = await this.#generationOf(node);
    await store(this.#db, [aCheck(this.monitor.id, this.#idOf(node), { ...report, generation })]);
  }

  async #miss(node: string, reason: string, atMs: number): Promise<void> {
    const slots = { first_slot_ms: atMs, last_slot_ms: atMs, count: 1, through_ms: atMs };
    const generation = await this.#generationOf(node);
    const body = { monitor_id: this.monitor.id, generation, reason: reason as 'behind', ...slots };
    await storeMissed(this.#db, [{ nodeId: this.#idOf(node), body }]);
  }

  /** First message of a link: the current statement of its node, before the checks that led to it. */
  async #reportNewest(node: string, atMs: number): Promise<void> {
    const newest = newestOf(this.#said, node, atMs);
    if (newest === null) return;
    const { verdict, since, slot } = newest;
    const body = { verdict, since_ms: since ?? slot, streak: 1 };
    const generation = await this.#generationOf(node);
    const said = { subject: this.monitor.id, generation, slotMs: slot, bodyJson: JSON.stringify(body) };
    await takeNewestStates(this.#db, this.#idOf(node), [said as Parameters<typeof takeNewestStates>[2][number]]);
  }

  async #testItself(node: string, isSound: boolean): Promise<void> {
    const checks = [{ name: 'resolver', status: isSound ? 'ok' : 'failed', detail: '' }];
    const selfTest = { finished_at: new Date(this.startMs).toISOString(), checks };
    await this.#db('nodes')
      .where({ id: this.#idOf(node) })
      .update({ self_test: JSON.stringify(selfTest) });
  }

  async #plan(from: string, to: string): Promise<void> {
    const at = (time: string) => new Date(instantOf(time, this.startMs)).toISOString();
    const times = { starts_at: at(from), ends_at: at(to) };
    await this.#call('/v1/maintenance-windows', { scope_type: 'monitor', scope_ids: [this.monitor.id], ...times });
  }

  async #resolve(): Promise<void> {
    const [{ id }] = await this.#db('monitor_events').where({ monitor_id: this.monitor.id, ended_at: null });
    await this.#call(`/v1/monitor-events/${id}/resolve`);
  }

  async #call(path: string, body?: object): Promise<void> {
    const answer = await this.stack.api.call('POST', path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  }

  async #generationOf(node: string): Promise<number> {
    const where = { monitor_id: this.monitor.id, node_id: this.#idOf(node) };
    const [row] = await this.#db('monitor_assignments').where(where).select('generation');
    return Number(row?.generation ?? 0);
  }

  #idOf(node: string): string {
    const id = this.nodeIds.get(node);
    if (id === undefined) throw new RangeError(`there is no node "${node}"`);
    return id;
  }

  #names(ids: readonly string[]): string {
    const names = [...this.nodeIds].filter(([, id]) => ids.includes(id)).map(([node]) => node);
    return names.join(' ');
  }
}
