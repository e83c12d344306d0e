import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import { Spool } from '../spool.js';
import { aPayload, findBreaches } from './spool-fixture.js';

// Started under strace by spool-faulty-disk.long.test.ts, which lets system calls of it fail or last. Appends rows, some at
// once and some one after the other, and prints what it saw as one JSON document when all are durable.

const [folder = '', count = '0'] = process.argv.slice(2);
const spool = await Spool.open({ folder, log: pino({ level: 'silent' }), clock: systemClock });
const problems = new Set<string>();
const noteProblem = () => {
  const { problem } = spool.stats();
  if (problem !== null) problems.add(problem);
};
const looking = setInterval(noteProblem, 5);

const first = Array.from({ length: Number(count) }, (_, i) => spool.append('task', aPayload(`at once ${i}`, 1_000)));
let durable = 0;
for (const row of first) {
  void row.durable.then(() => {
    durable += 1;
  });
}
const rows = await spool.read('task', 0, 10_000, 100_000_000);
const durableWhenRead = durable;
await Promise.all(first.map((row) => row.durable));
for (let i = 0; i < 30; i += 1) await spool.append('task', aPayload(`alone ${i}`, 1_000)).durable;
clearInterval(looking);
const { rows: waiting, dropped, problem, setAside } = spool.stats();
const breaches = await findBreaches(spool);
await spool.close();
process.stdout.write(
  JSON.stringify({
    read: rows.length,
    durableWhenRead,
    problems: [...problems],
    waiting,
    dropped,
    problem,
    setAside,
    breaches,
  }),
);
