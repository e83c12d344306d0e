import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { aFolder, aPayload, describeRow, memoryFolder, openSpool } from './_support/spool-fixture.js';
import type { Spool } from './spool.js';

// Whatever happens to a spool in whatever order, it behaves as this naive model, in which a row is an object in a list.

const LIMITS = { maxBytes: 2_000, maxAgeMs: 100 * 60_000 };
const REPLAY_MS = 15 * 60_000;

type Command =
  | { readonly do: 'append'; readonly lane: Lane; readonly bytes: number }
  | { readonly do: 'acknowledge'; readonly lane: Lane; readonly part: number }
  | {
      readonly do: 'read';
      readonly lane: Lane;
      readonly part: number;
      readonly limit: number;
      readonly maxBytes: number;
    }
  | { readonly do: 'rewind'; readonly lane: Lane; readonly part: number }
  | { readonly do: 'advance'; readonly minutes: number }
  | { readonly do: 'new epoch' }
  | { readonly do: 'close' }
  | { readonly do: 'crash' };

const lane = fc.constantFrom(...lanes);
const part = fc.double({ min: 0, max: 1, noNaN: true });
const appending = fc.record({ do: fc.constant('append' as const), lane, bytes: fc.integer({ min: 8, max: 700 }) });
const reading = fc.record({
  do: fc.constant('read' as const),
  lane,
  part,
  limit: fc.integer({ min: 1, max: 4 }),
  maxBytes: fc.integer({ min: 1, max: 1_500 }),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: appending, weight: 10 },
  { arbitrary: fc.record({ do: fc.constant('acknowledge' as const), lane, part }), weight: 4 },
  { arbitrary: reading, weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('rewind' as const), lane, part }), weight: 2 },
  {
    arbitrary: fc.record({ do: fc.constant('advance' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
    weight: 3,
  },
  fc.record({ do: fc.constant('new epoch' as const) }),
  fc.record({ do: fc.constant('close' as const) }),
  fc.record({ do: fc.constant('crash' as const) }),
);

interface ModelRow {
  number: number;
  readonly text: string;
  readonly bytes: number;
  readonly createdMs: number;
  acknowledgedMs: number | null;
}

/** One lane of the model: rows that are there, numbers that are dropped. */
class ModelLane {
  last = 0;
  acked = 0;
  rows: ModelRow[] = [];
  dropped = new Set<number>();

  acknowledge(mark: number, nowMs: number): void {
    this.acked = Math.max(this.acked, mark);
    for (const row of this.rows) if (row.number <= this.acked) row.acknowledgedMs ??= nowMs;
    for (const number of this.dropped) if (number <= this.acked) this.dropped.delete(number);
  }

  rewind(mark: number): void {
    for (let number = mark + 1; number <= this.acked; number += 1) {
      const row = this.rows.find((candidate) => candidate.number === number);
      if (row === undefined) this.dropped.add(number);
      else row.acknowledgedMs = null;
    }
    this.acked = mark;
  }

  startEpoch(): void {
    const shift = this.acked;
    for (const row of this.rows) row.number -= shift;
    this.dropped = new Set([...this.dropped].map((number) => number - shift));
    this.last -= shift;
    this.acked = 0;
  }

  drop(row: ModelRow): void {
    this.rows.splice(this.rows.indexOf(row), 1);
    if (row.acknowledgedMs === null) this.dropped.add(row.number);
  }
}

class Model {
  readonly lanes: Record<Lane, ModelLane> = { task: new ModelLane(), check: new ModelLane() };

  /** Does to the model as every commit does to the spool. */
  sweep(nowMs: number): void {
    for (const lane of Object.values(this.lanes)) {
      // the replay window is kept in steps of half a minute
      const isReplayed = (row: ModelRow) =>
        row.acknowledgedMs !== null && Math.ceil(row.acknowledgedMs / 30_000) * 30_000 <= nowMs - REPLAY_MS;
      lane.rows = lane.rows.filter((row) => !isReplayed(row));
      for (const row of lane.rows.filter(
        (row) => row.acknowledgedMs === null && row.createdMs < nowMs - LIMITS.maxAgeMs,
      ))
        lane.drop(row);
    }
    while (this.heldBytes() > LIMITS.maxBytes) this.dropOldest();
  }

  heldBytes(): number {
    return Object.values(this.lanes)
      .flatMap((lane) => lane.rows)
      .reduce((sum, row) => sum + row.bytes, 0);
  }

  private dropOldest(): void {
    const all = lanes.flatMap((name) => this.lanes[name].rows.map((row) => ({ lane: this.lanes[name], row })));
    const replayed = all.find(({ row }) => row.acknowledgedMs !== null);
    const oldest = all.reduce((a, b) => (b.row.createdMs < a.row.createdMs ? b : a), all[0] ?? neverEmpty());
    const { lane, row } = replayed ?? oldest;
    lane.drop(row);
  }
}

function neverEmpty(): never {
  throw new Error('nothing is held');
}

/** A spool and the model of it, driven side by side. */
class Pair {
  readonly model = new Model();
  #texts = 0;

  private constructor(
    readonly t: Test,
    readonly clock: FakeClock,
    private folder: string,
    private spool: Spool,
  ) {}

  static async open(t: Test): Promise<Pair> {
    const clock = new FakeClock();
    const folder = aFolder(t, memoryFolder);
    const pair = new Pair(t, clock, folder, await openSpool(t, { folder, clock, ...LIMITS }));
    // a link begins with the marks of a welcome, acknowledgements come after it
    await pair.settle();
    return pair;
  }

  async run(command: Command): Promise<void> {
    switch (command.do) {
      case 'append':
        return this.append(command.lane, command.bytes);
      case 'acknowledge':
        return this.acknowledge(command.lane, command.part);
      case 'rewind':
        return this.rewind(command.lane, command.part);
      case 'read':
        return this.read(command);
      case 'advance':
        this.clock.advance(command.minutes * 60_000 + 1);
        return this.settle();
      case 'new epoch':
        for (const lane of lanes) this.model.lanes[lane].startEpoch();
        await this.spool.startNewEpoch('test');
        return this.settle();
      case 'close':
        await this.spool.close();
        return this.reopen(this.folder);
      case 'crash':
        return this.crash();
    }
  }

  /** Compares everything that can be seen from outside, once what the clock began has come to its end. */
  async compare(): Promise<void> {
    const deadlineMs = performance.now() + 120_000;
    for (;;) {
      try {
        return await this.#compareNow();
      } catch (error) {
        if (performance.now() > deadlineMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    }
  }

  async #compareNow(): Promise<void> {
    for (const lane of lanes) {
      const { last, acked, dropped, rows } = this.model.lanes[lane];
      const found = (await this.readWhole(lane)).join(', ');
      assertSame(`state of ${lane}`, JSON.stringify(this.spool.state()[lane]), JSON.stringify({ last, acked }));
      assertSame(
        `rows of ${lane}`,
        found,
        rows
          .filter((row) => row.number > 0)
          .map((row) => `${row.number} ${row.text}`)
          .join(', '),
      );
      const ranges = this.spool
        .droppedRanges(lane)
        .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
      assertSame(`dropped of ${lane}`, ranges.join(), [...dropped].toSorted((a, b) => a - b).join());
    }
    const waiting = lanes.flatMap((lane) => this.model.lanes[lane].rows.filter((row) => row.acknowledgedMs === null));
    assertSame('rows waiting', this.spool.stats().rows, waiting.length);
    assertSame(
      'bytes waiting',
      this.spool.stats().bytes,
      waiting.reduce((sum, row) => sum + row.bytes, 0),
    );
  }

  async close(): Promise<void> {
    await this.spool.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async append(lane: Lane, bytes: number): Promise<void> {
    this.clock.advance(1);
    const text = `t${(this.#texts += 1)}`;
    const { sequence, durable } = this.spool.append(lane, aPayload(text, bytes));
    await durable;
    const target = this.model.lanes[lane];
    target.last += 1;
    assertSame('number', sequence, target.last);
    target.rows.push({ number: sequence, text, bytes, createdMs: this.clock.now(), acknowledgedMs: null });
    this.model.sweep(this.clock.now());
  }

  private async acknowledge(lane: Lane, part: number): Promise<void> {
    const target = this.model.lanes[lane];
    const mark = Math.round(target.last * part);
    await this.spool.acknowledge(lane, mark);
    target.acknowledge(mark, this.clock.now());
    await this.settle();
  }

  private async rewind(lane: Lane, part: number): Promise<void> {
    const marks = { task: this.model.lanes.task.acked, check: this.model.lanes.check.acked };
    marks[lane] = Math.floor(marks[lane] * part);
    this.model.lanes[lane].rewind(marks[lane]);
    assertSame('outcome', await this.spool.resume(marks), 'resumed');
    await this.settle();
  }

  private async read({ lane, part, limit, maxBytes }: Extract<Command, { do: 'read' }>): Promise<void> {
    const target = this.model.lanes[lane];
    const after = Math.round(target.last * part);
    const expected: ModelRow[] = [];
    for (const row of target.rows.filter((candidate) => candidate.number > after)) {
      const bytes = expected.reduce((sum, earlier) => sum + earlier.bytes, row.bytes);
      const previous = expected.at(-1);
      if (expected.length === limit || (previous && (row.number !== previous.number + 1 || bytes > maxBytes))) break;
      expected.push(row);
    }
    const found = (await this.spool.read(lane, after, limit, maxBytes)).map(describeRow);
    assertSame('read', found.join(), expected.map((row) => `${row.number} ${row.text}`).join());
  }

  private async readWhole(lane: Lane): Promise<string[]> {
    const found: string[] = [];
    for (let after = 0; ; ) {
      const rows = await this.spool.read(lane, after, 100, 100_000);
      if (rows.length === 0) return found;
      found.push(...rows.map(describeRow));
      after = rows.at(-1)?.sequence ?? after;
    }
  }

  /** Starts a commit as of now; whatever is read next comes after it. */
  private async settle(): Promise<void> {
    await this.spool.resume({ task: this.model.lanes.task.acked, check: this.model.lanes.check.acked });
    this.model.sweep(this.clock.now());
  }

  /** Copies the state that kill -9 leaves: the file and its log, nothing closed. */
  private async crash(): Promise<void> {
    const copy = aFolder(this.t, memoryFolder);
    // a reader keeps the log from being emptied between the two copies; what is added to it meanwhile may be torn
    const reader = new Database(join(this.folder, 'spool.db'), { readonly: true });
    reader.exec('BEGIN; SELECT * FROM head');
    for (const name of ['spool.db', 'spool.db-wal']) cpSync(join(this.folder, name), join(copy, name));
    reader.close();
    await this.close();
    await this.reopen(copy);
  }

  private async reopen(folder: string): Promise<void> {
    this.folder = folder;
    this.spool = await openSpool(this.t, { folder, clock: this.clock, ...LIMITS });
    await this.settle();
  }
}

function assertSame(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what}: found "${found}", expected "${expected}"`);
}

t.test('a spool behaves as a plain list of rows, whatever happens in whatever order', async (t) => {
  const runs = fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), async (commands) => {
    const pair = await Pair.open(t);
    try {
      for (const next of commands) {
        await pair.run(next);
        await pair.compare();
      }
    } finally {
      await pair.close();
    }
  });
  await fc.assert(runs, { numRuns: rounds(60, 8), endOnFailure: true });
});
