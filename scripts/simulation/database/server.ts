import type { SeededRandom } from '../../seeded-random.js';
import type { SimulatedProcess } from '../process.js';
import type { World } from '../world.js';
import { copyTables, emptyTables, type Tables } from './tables.js';

export interface StatementFaults {
  /** Probability that it fails and nothing of it is done. */
  readonly failsBefore: number;
  /** Probability that it is committed and the reply never comes. */
  readonly losesAnswer: number;
}

const NO_FAULTS: StatementFaults = { failsBefore: 0, losesAnswer: 0 };

/** A connection to the database failed. */
export class SimulatedDatabaseError extends Error {
  override readonly name = 'SimulatedDatabaseError';
}

//   statement ──latency──> (locked: waits) ──> committed at once ──latency──> the answer, if the caller still lives

/** The one database of a run. */
export class DatabaseServer {
  tables: Tables = emptyTables();
  /** One way to the database and back, milliseconds. */
  latencyMs = 0.5;
  faults: StatementFaults = NO_FAULTS;
  /** True while what is committed is going to be lost. */
  isFailingOver = false;
  readonly #world: World;
  readonly #random: SeededRandom;
  #isUp = true;
  #failovers = 0;
  #lockedUntilMs = 0;
  /** Statements behind a lock, in the order they came. */
  readonly #waiting: (() => void)[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork();
  }

  /** Result of the database's now(), milliseconds since the epoch. */
  get nowMs(): number {
    return this.#world.wallMs;
  }

  /** Runs a statement for a process; every statement is a transaction. */
  run<T>(caller: SimulatedProcess, statement: (tables: Tables, nowMs: number) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#world.carry(this.#travelMs(), () => {
        const execute = () => this.#execute(caller, statement, { resolve, reject });
        if (this.#world.nowMs < this.#lockedUntilMs) this.#waiting.push(execute);
        else execute();
      });
    });
  }

  /** Healthy from now on. */
  heal(): void {
    this.latencyMs = 0.5;
    this.faults = NO_FAULTS;
    this.#isUp = true;
    this.#lockedUntilMs = 0;
    this.#unlock();
  }

  /** Refuses all statements; those in flight fail. */
  stop(): void {
    this.#isUp = false;
  }

  start(): void {
    this.#isUp = true;
  }

  /** Everybody waits. */
  lock(ms: number): void {
    this.#lockedUntilMs = this.#world.nowMs + ms;
    this.#world.carry(ms, () => this.#unlock());
  }

  /** The database as it is now, to be come back to. */
  copy(): Tables {
    return copyTables(this.tables);
  }

  /** Restores a copy: later commits are lost, every connection breaks, and replies in flight do not arrive. */
  restore(copy: Tables): void {
    this.tables = copyTables(copy);
    this.#failovers += 1;
  }

  /** Unless another process holds a lock. */
  #unlock(): void {
    if (this.#world.nowMs < this.#lockedUntilMs) return;
    for (const execute of this.#waiting.splice(0)) this.#world.carry(0, execute);
  }

  #execute<T>(
    caller: SimulatedProcess,
    statement: (tables: Tables, nowMs: number) => T,
    settle: { resolve(value: T): void; reject(error: Error): void },
  ): void {
    const fail = (message: string) =>
      caller.after(this.#travelMs(), () => settle.reject(new SimulatedDatabaseError(message)));
    if (!this.#isUp) return void fail('connect ECONNREFUSED');
    if (this.#random.chance(this.faults.failsBefore)) return void fail('canceling statement');
    const answer = statement(this.tables, this.nowMs);
    if (this.#random.chance(this.faults.losesAnswer)) return void fail('Connection terminated unexpectedly');
    const failovers = this.#failovers;
    caller.after(this.#travelMs(), () => {
      if (failovers === this.#failovers) settle.resolve(answer);
      else settle.reject(new SimulatedDatabaseError('Connection terminated unexpectedly'));
    });
  }

  #travelMs(): number {
    return this.latencyMs * this.#random.between(0.5, 2);
  }
}
