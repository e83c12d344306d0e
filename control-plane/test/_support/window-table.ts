import { type Ask, fittingPortions, type Taken } from '../../src/limits/tally.js';
import { isCurrent } from '../../src/limits/window.js';

/** Content of the table rate_windows, in memory: limits.test.ts compares the SQL with it. */
export class WindowTable {
  readonly #rows = new Map<string, Taken>();

  take(ask: Ask): Taken {
    const { key, startsAt, endsAt, size, owed } = ask;
    const row = this.#rows.get(key);
    const running = row !== undefined && isCurrent(row, startsAt) ? row : { startsAt, endsAt, used: 0 };
    const before = Math.max(0, running.used + (running.startsAt === startsAt ? owed : 0));
    const granted = fittingPortions(before, ask);
    const taken = { startsAt: running.startsAt, endsAt: running.endsAt, granted, used: before + granted * size };
    this.#rows.set(key, taken);
    return taken;
  }
}
