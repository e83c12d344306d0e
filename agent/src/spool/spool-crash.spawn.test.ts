import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { systemClock } from '@vantage/shared/clock.js';
import { lanes } from '@vantage/shared/protocol/lanes.js';
import t, { type Test } from 'tap';
import { aFolder, findBreaches, openSpool, readAll } from './_support/spool-fixture.js';

const WRITER = fileURLToPath(new URL('../../test/program/crashing-writer.js', import.meta.url));
const RUNS = rounds(8, 4);

t.test('after kill -9 every durable row exists, none twice, and no number was used again', async (t) => {
  const folder = aFolder(t);
  const durable = new Map<string, string>();
  for (let run = 1; run <= RUNS; run += 1) {
    for (const line of (await writeUntilKilled(folder, run)).filter(isRow)) {
      const [lane = '', number = '', text = ''] = line.split(' ');
      if (durable.has(`${lane} ${number}`)) t.fail(`"${lane} ${number}" was given out twice`);
      durable.set(`${lane} ${number}`, text);
    }
    await checkAgainst(t, folder, durable);
  }
  t.ok(durable.size > RUNS * 20, `${durable.size} rows were durable`);
});

t.test(
  'after kill -9 around an acknowledgement only rows above the mark are sent again, and none is missing',
  async (t) => {
    const folder = aFolder(t);
    const marks = { task: 0, check: 0 };
    for (let run = 1; run <= RUNS / 2; run += 1) {
      const lines = await writeUntilKilled(folder, run);
      const reported = lines.filter((line) => !isRow(line)).map((line) => Number(line.split(' ')[2]));
      // the control plane said so, and has it in its own database whatever the agent remembers
      marks.check = Math.max(marks.check, ...reported);
      // the writer's clock: on another one its rows would have waited for months
      const spool = await openSpool(t, { folder, clock: systemClock });
      t.ok(spool.state().check.acked <= marks.check, 'never more than was said');
      t.equal(await spool.resume(marks), 'resumed');
      t.equal(spool.state().check.acked, marks.check);
      t.same(spool.droppedRanges('check'), [], 'nothing is given up');
      t.same(await findBreaches(spool), [], 'every number above the mark is a row');
      const [first] = await spool.read('check', marks.check, 1, 10_000);
      if (first !== undefined) t.equal(first.sequence, marks.check + 1, 'the first that is sent');
      t.equal(
        spool.stats().lanes.check.rows,
        spool.state().check.last - marks.check,
        'what was acknowledged does not wait',
      );
      await spool.close();
    }
    t.ok(marks.check > 0, `${marks.check} were acknowledged`);
  },
);

function isRow(line: string): boolean {
  return !line.startsWith('acknowledged ');
}

/** Lets a writer run until it has printed a random number of rows, kills it, and returns its output. */
async function writeUntilKilled(folder: string, run: number): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, folder, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const enough = 20 + Math.floor(Math.random() * 2_000);
  const printed = await readLines(child, enough);
  await exited;
  return printed;
}

async function readLines(child: ChildProcess, enough: number): Promise<string[]> {
  if (child.stdout === null) throw new Error('no standard output');
  const printed: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    printed.push(line);
    if (printed.length === enough) child.kill('SIGKILL');
  }
  return printed;
}

async function checkAgainst(t: Test, folder: string, durable: ReadonlyMap<string, string>): Promise<void> {
  const spool = await openSpool(t, { folder });
  t.same(await findBreaches(spool), [], 'every number is a row');
  t.equal(spool.stats().setAside, null);
  for (const lane of lanes) {
    const rows = new Map(
      (await readAll(spool, lane, 0)).map((row) => [`${lane} ${row.split(' ')[0]}`, row.split(' ')[1]]),
    );
    const missing = [...durable].filter(([key, text]) => key.startsWith(lane) && rows.get(key) !== text);
    t.same(missing, [], `all durable rows of lane "${lane}" are there as they were written`);
    const highest = Math.max(0, ...[...rows.keys()].map((key) => Number(key.split(' ')[1])));
    t.equal(spool.state()[lane].last, highest, 'and the next number is the next');
  }
  await spool.close();
}
