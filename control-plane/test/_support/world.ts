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

interface Waiting {
  /** Instant at which the next row is due, held until or leased until; null: none waits. */
  readonly nextMs: number | null;
  /** Tables with due rows that are neither held nor leased, with their number; empty: none. */
  readonly due: string;
  readonly isLeased: boolean;
}

const MAX_PASSES = 100;
/** Time after which work is looked for again that was due and that no round has taken. */
const LOOK_MS = 1_000;
const units = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds, or a number with its unit: '10 s', '2 h'. */
export type Duration = number | `${number} ${keyof typeof units}`;

interface WorldOptions {
  readonly db: Knex;
  readonly clock: FakeClock;
  /** Takes a turn of every round that the clock does not know; called at every look. */
  readonly look?: () => Promise<unknown>;
  /** Called after each `settle`: notes what happened at this instant. */
  readonly onSettled?: () => void;
}

/** Time and work of one database. */
export class World {
  #query: Promise<string> | null = null;

  constructor(private readonly options: WorldOptions) {}

  /** Lets rounds look until nothing changes any more. @throws Error naming the tables that stay busy */
  async settle(): Promise<void> {
    const { clock, look, onSettled } = this.options;
    let before: string | null = null;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      await clock.sweep();
      await look?.();
      await until('what is leased to be done', async () => !(await this.#read()).isLeased);
      const { due } = await this.#read();
      if (due === '' || due === before) {
        onSettled?.();
        return;
      }
      before = due;
    }
    throw new Error(`still busy after ${MAX_PASSES} looks: ${before}`);
  }

  /** Lets time pass, with everything that is due in it. */
  async pass(duration: Duration): Promise<void> {
    const { clock } = this.options;
    const endMs = clock.now() + toMs(duration);
    await this.settle();
    while (clock.now() < endMs) {
      const { nextMs, due } = await this.#read();
      const againMs = due === '' ? endMs : clock.now() + LOOK_MS;
      clock.advance(Math.min(endMs, nextMs ?? endMs, againMs) - clock.now());
      await this.settle();
    }
  }

  async #read(): Promise<Waiting> {
    const { db, clock } = this.options;
    this.#query ??= waitingQuery(db);
    const { rows } = await db.raw(await this.#query, { now: new Date(clock.now()) });
    const nexts = rows.flatMap(({ next }: { next: Date | null }) => (next === null ? [] : [next.getTime()]));
    return {
      nextMs: nexts.length === 0 ? null : Math.min(...nexts),
      due: rows
        .flatMap(({ name, due }: { name: string; due: number }) => (due > 0 ? [`${name} ${due}`] : []))
        .join(', '),
      isLeased: rows.some(({ leased }: { leased: number }) => leased > 0),
    };
  }
}

/** Statement that reads, of each table with rows that wait, the next instant after `now`, and the numbers of due and leased rows. */
async function waitingQuery(db: Knex): Promise<string> {
  const { rows } = await db.raw(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attname = ANY(?) AND NOT a.attisdropped
     GROUP BY 1 ORDER BY 1`,
    [[...instants]],
  );
  return rows
    .map(({ name, columns }: { name: string; columns: (typeof instants)[number][] }) => {
      const has = (column: (typeof instants)[number]) => columns.includes(column);
      const free = [
        ...(has('held_until') ? ['coalesce(held_until <= :now, true)'] : []),
        ...(has('leased_until') ? ['coalesce(leased_until <= :now, true)'] : []),
      ];
      const due = has('due_at') ? `count(*) FILTER (WHERE ${['due_at <= :now', ...free].join(' AND ')})` : '0';
      const leased = has('leased_until') ? 'count(*) FILTER (WHERE leased_until > :now)' : '0';
      const next = columns.map((column) => `min(${column}) FILTER (WHERE ${column} > :now)`);
      return `SELECT '${name}' AS name, least(${next.join(', ')}) AS next, (${due})::int AS due, (${leased})::int AS leased FROM ${name}`;
    })
    .join(' UNION ALL ');
}

function toMs(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  const [amount, unit] = duration.split(' ') as [string, keyof typeof units];
  return Number(amount) * units[unit];
}
