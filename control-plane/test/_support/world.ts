import type { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';

// A still world: time passes only as a test lets it, and then from one instant at which something is due to the next.
//
//   settle()     ──> rounds look, again and again, until none of them finds work
//   pass('2 h')  ──> settle, to the next instant that a table names, settle, …, to the end, settle
//
// What is due is read from the database: a row waits for an instant in one of the columns `instants`.

/** Columns that name the instant at which a row is due, held until, or leased until. */
const instants = ['due_at', 'held_until', 'leased_until'] as const;
/** Tables whose rows wait by the clock of the database, which no test moves. */
const byDatabase: ReadonlySet<string> = new Set([
  'diagnose_reports',
  'late_checks',
  'monitor_due',
  'outbox_marks',
  'placement_due',
]);

interface Waiting {
  /** Instant at which the next row is due, held until or leased until; null if none waits. */
  readonly nextMs: number | null;
  /** Tables with due rows that are neither held nor leased, with their number and their version; empty: none. */
  readonly due: string;
  /** Tables with leased rows; empty: none. */
  readonly leased: string;
}

const MAX_PASSES = 1_000;
/** Time after which due work that no round has taken is looked for once more; then it is no one's. */
const LOOK_MS = 1_000;
const units = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds, or a number with its unit: '10 s', '2 h'. */
export type Duration = number | `${number} ${keyof typeof units}`;

interface WorldOptions {
  readonly db: Knex;
  readonly clock: FakeClock;
  /** Takes a turn of every round that the clock does not know; called while something is due. */
  readonly look?: () => Promise<unknown>;
  /** Resolves when no work is under way. Default: when nothing is leased; a lease whose holder has died is never over. */
  readonly idle?: () => Promise<unknown>;
  /** Called after each `settle`: notes what happened at this instant. */
  readonly onSettled?: () => void;
}

/** Time and work of one database. */
export class World {
  #query: Promise<string> | null = null;

  constructor(private readonly options: WorldOptions) {}

  /** Lets rounds look until nothing changes any more. @throws Error naming the tables that stay busy */
  async settle(): Promise<void> {
    await this.#settle();
  }

  /** Lets time pass, with everything that is due in it. */
  async pass(duration: Duration): Promise<void> {
    const { clock } = this.options;
    const endMs = clock.now() + toMs(duration);
    let { nextMs, due } = await this.#settle();
    let left = { due, sinceMs: clock.now() };
    while (clock.now() < endMs) {
      if (due !== left.due) left = { due, sinceMs: clock.now() };
      const againMs = left.sinceMs + LOOK_MS;
      const lookMs = due === '' || againMs <= clock.now() ? endMs : againMs;
      clock.advance(Math.min(endMs, nextMs ?? endMs, lookMs) - clock.now());
      ({ nextMs, due } = await this.#settle());
    }
  }

  async #settle(): Promise<Waiting> {
    const { clock, look, onSettled } = this.options;
    let before: string | null = null;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      await clock.sweep();
      if (before !== null) await look?.();
      const waiting = await this.#idle();
      if (waiting.due === '' || waiting.due === before) {
        onSettled?.();
        return waiting;
      }
      before = waiting.due;
    }
    throw new Error(`still busy after ${MAX_PASSES} looks: ${before}`);
  }

  /** Waits until no work is under way. */
  async #idle(): Promise<Waiting> {
    const { idle } = this.options;
    await idle?.();
    let waiting = await this.#read();
    if (idle === undefined && waiting.leased !== '')
      await until(`leases to end: ${waiting.leased}`, async () => (waiting = await this.#read()).leased === '');
    return waiting;
  }

  async #read(): Promise<Waiting> {
    const { db, clock } = this.options;
    this.#query ??= waitingQuery(db);
    const { rows } = await db.raw<{ rows: WaitingRow[] }>(await this.#query, { now: new Date(clock.now()) });
    const nexts = rows.flatMap(({ next }) => (next === null ? [] : [next.getTime()]));
    const named = (texts: readonly string[]) => texts.filter((text) => text !== '').join(', ');
    return {
      nextMs: nexts.length === 0 ? null : Math.min(...nexts),
      due: named(rows.map(({ name, due, version }) => (due > 0 ? `${name} ${due} (${version})` : ''))),
      leased: named(rows.map(({ name, leased }) => (leased > 0 ? `${name} ${leased}` : ''))),
    };
  }
}

interface WaitingRow {
  readonly name: string;
  readonly next: Date | null;
  readonly due: number;
  /** Changes whenever one of the due rows is written. */
  readonly version: string | null;
  readonly leased: number;
}

/** Statement that reads, of each table with rows that wait, the next instant after `now`, and the numbers of due and leased rows. */
async function waitingQuery(db: Knex): Promise<string> {
  const { rows } = await db.raw(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
       AND a.attname = ANY(?) AND NOT a.attisdropped
     GROUP BY 1 ORDER BY 1`,
    [[...instants]],
  );
  return rows
    .map(({ name, columns }: { name: string; columns: (typeof instants)[number][] }) => {
      const has = (column: (typeof instants)[number]) => columns.includes(column);
      const isByDatabase = byDatabase.has(name);
      const free = [
        ...(has('held_until') ? ['coalesce(held_until <= :now, true)'] : []),
        ...(has('leased_until') ? ['coalesce(leased_until <= :now, true)'] : []),
      ];
      const isDue = [`due_at <= ${isByDatabase ? 'clock_timestamp()' : ':now'}`, ...free].join(' AND ');
      const next = columns.map((column) => `min(${column}) FILTER (WHERE ${column} > :now)`);
      return `SELECT '${name}' AS name, ${isByDatabase ? 'null::timestamptz' : `least(${next.join(', ')})`} AS next,
        ${has('due_at') ? `(count(*) FILTER (WHERE ${isDue}))::int` : '0'} AS due,
        ${has('due_at') ? `sum(xmin::text::bigint) FILTER (WHERE ${isDue})` : 'null::numeric'} AS version,
        ${has('leased_until') ? '(count(*) FILTER (WHERE leased_until > :now))::int' : '0'} AS leased FROM ${name}`;
    })
    .join(' UNION ALL ');
}

function toMs(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [amount, unit] = duration.split(' ') as [string, keyof typeof units];
  return Number(amount) * units[unit];
}
