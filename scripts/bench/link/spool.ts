import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import { createLog } from 'vantage-agent/log.js';
import { Spool } from 'vantage-agent/spool/spool.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import type { LinkComparison, LinkRow } from './comparison.js';
import { pingResult } from './results.js';

const BATCH = 100;
const BATCHES = sized(100, 3);
const SINGLES = sized(300, 3);

/**
 * Cost of the spool's durability: SQLite with synchronous=FULL, compared with a file that is appended to and synced.
 */
export const spool: LinkComparison = {
  name: 'spool',
  title: 'spool: results made durable, beside appending the same bytes and fsync',
  question: 'How near does the spool come to appending the same bytes with fsync?',
  method: ({ rounds }) =>
    `${rounds} rounds in turns on the same disk; ${BATCHES} commits of ${BATCH} results that are there at once, then ${SINGLES} of one, each waited for; before each ${BATCHES} commits that are not counted, for an agent runs for weeks`,
  async run({ rounds }) {
    const found = { spool: [] as number[], raw: [] as number[], spoolOne: [] as number[], rawOne: [] as number[] };
    for (let round = 0; round <= rounds; round += 1) {
      const batches = { spool: await spoolRate(BATCHES, BATCH), raw: rawRate(BATCHES, BATCH) };
      const singles = { spool: await spoolRate(SINGLES, 1), raw: rawRate(SINGLES, 1) };
      // the first warms up
      if (round === 0) continue;
      found.spool.push(batches.spool);
      found.raw.push(batches.raw);
      found.spoolOne.push(singles.spool);
      found.rawOne.push(singles.raw);
    }
    return [
      rowOf(`results a second, ${BATCH} a commit`, found.spool, found.raw),
      rowOf('results a second, one a commit', found.spoolOne, found.rawOne),
    ];
  },
};

function rowOf(what: string, ours: readonly number[], baseline: readonly number[]): LinkRow {
  const ratios = figureOf(ours.map((rate, round) => rate / (baseline[round] ?? Number.NaN)));
  return {
    what,
    ours: figureText(figureOf(ours), 0),
    baseline: figureText(figureOf(baseline), 0),
    ratio: figureText(ratios),
    goal: 'at least 0.5',
  };
}

/** Results a second through a spool, thread and all: what waits during a commit forms the next, a hundred at most. */
async function spoolRate(commits: number, perCommit: number): Promise<number> {
  const folder = aFolder();
  const opened = await Spool.open({ folder, log: createLog('silent'), clock: systemClock });
  await appendAll(opened, BATCHES, perCommit);
  const started = performance.now();
  await appendAll(opened, commits, perCommit);
  const seconds = (performance.now() - started) / 1000;
  await opened.close();
  rmSync(folder, { recursive: true });
  return (commits * perCommit) / seconds;
}

async function appendAll(opened: Spool, commits: number, perCommit: number): Promise<void> {
  const payload = encodeResult(pingResult('pt_1'));
  if (perCommit === 1) for (let commit = 0; commit < commits; commit += 1) await opened.append('task', payload).durable;
  else await Promise.all(Array.from({ length: commits * perCommit }, () => opened.append('task', payload).durable));
}

/** Results a second into a file, each batch one write and one fsync. */
function rawRate(commits: number, perCommit: number): number {
  const folder = aFolder();
  const file = openSync(join(folder, 'raw'), 'a');
  const payload = encodeResult(pingResult('pt_1'));
  const batch = Buffer.concat(Array.from({ length: perCommit }, () => payload));
  const started = performance.now();
  for (let commit = 0; commit < commits; commit += 1) {
    writeSync(file, batch);
    fsyncSync(file);
  }
  const seconds = (performance.now() - started) / 1000;
  closeSync(file);
  rmSync(folder, { recursive: true });
  return (commits * perCommit) / seconds;
}

function aFolder(): string {
  return mkdtempSync(join(tmpdir(), 'vantage-bench-spool-'));
}
