import { systemClock } from '@vantage/shared/clock.js';
import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { openDatabase } from 'vantage-control/db/database.js';
import { SharedWindows, WindowLimiter } from 'vantage-control/limits/index.js';
import { createLogger } from 'vantage-control/log.js';
import { type Figure, figureOf } from './statistics.js';

const TIMES = 2_000;
const AT_ONCE = 16;
const LIMIT = 1_000_000;

/** Microseconds to count one request of one caller, sixteen at once. */
export interface LimiterCosts {
  /** As a replica that is alone counts. */
  readonly alone: Figure;
  /** As one of several counts. */
  readonly shared: Figure;
  /** rate-limiter-flexible on PostgreSQL: a statement for every request. */
  readonly peer: Figure;
}

/** Measures counting in the database of a running control plane, in turns. */
export async function measureLimiters(url: string, rounds: number): Promise<LimiterCosts> {
  const db = openDatabase({ url, poolSize: 2, applicationName: 'bench', settings: { synchronous_commit: 'off' } });
  const pool = new pg.Pool({ connectionString: url, max: 2, options: '-c synchronous_commit=off' });
  const peer = await peerOn(pool);
  const counters = {
    alone: ourOwn(db, false),
    shared: ourOwn(db, true),
    peer: () => peer.consume('bench'),
  };
  const micros = { alone: [] as number[], shared: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ['alone', 'shared', 'peer'] as const) micros[name].push(await timed(counters[name]));
  }
  await pool.query('DROP TABLE bench_limits');
  await pool.end();
  await db.destroy();
  return { alone: figureOf(micros.alone), shared: figureOf(micros.shared), peer: figureOf(micros.peer) };
}

function ourOwn(db: ReturnType<typeof openDatabase>, hasOthers: boolean): () => Promise<unknown> {
  const windows = new SharedWindows({
    db,
    hasOthers: () => hasOthers,
    clock: systemClock,
    log: createLogger('silent'),
    metrics: { countLimiterFallback: () => {} },
  });
  const limiter = new WindowLimiter(windows, systemClock);
  const limit = { key: `bench ${hasOthers}`, limit: LIMIT, windowMs: 60_000 };
  return () => limiter.consume(limit);
}

function peerOn(pool: pg.Pool): Promise<RateLimiterPostgres> {
  return new Promise((resolve, reject) => {
    const options = { storeClient: pool, points: LIMIT, duration: 60, tableName: 'bench_limits' };
    const limiter = new RateLimiterPostgres(options, (error?: Error) => {
      if (error) reject(error);
      else resolve(limiter);
    });
  });
}

/** Microseconds each, the first tenth not counted. */
async function timed(count: () => Promise<unknown>): Promise<number> {
  await many(count, TIMES / 10);
  const startedAt = performance.now();
  await many(count, TIMES);
  return ((performance.now() - startedAt) * 1_000) / TIMES;
}

async function many(count: () => Promise<unknown>, times: number): Promise<void> {
  const loop = async () => {
    for (let n = 0; n < times / AT_ONCE; n += 1) await count();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
}
