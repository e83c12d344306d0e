import { writeSync } from 'node:fs';
import { systemClock } from '@vantage/shared/clock.js';
import { lanes } from '@vantage/shared/protocol/lanes.js';
import { pino } from 'pino';
import { Spool } from '../spool.js';
import { aPayload } from './spool-fixture.js';

// Started as a process by spool-crash.test.ts and killed without warning. It appends for ever, acknowledges some, and
// prints `lane number text` for every row that is durable, and `acknowledged lane mark` before it
// takes an acknowledgement; text names the run, so that no number can be used twice.

const [folder = '', run = ''] = process.argv.slice(2);
const spool = await Spool.open({ folder, log: pino({ level: 'silent' }), clock: systemClock });

for (let round = 0; ; round += 1) {
  const written = Array.from({ length: 1 + (round % 150) }, (_, i) => {
    const lane = lanes[i % 3 === 0 ? 1 : 0] ?? 'task';
    const text = `${run}.${round}.${i}`;
    const { sequence, durable } = spool.append(lane, aPayload(text, 200 + (i % 7) * 100));
    return durable.then(() => writeSync(1, `${lane} ${sequence} ${text}\n`));
  });
  if (round % 3 === 0) await Promise.all(written);
  if (round % 5 === 0) {
    const mark = Math.floor(spool.state().check.last / 2);
    writeSync(1, `acknowledged check ${mark}\n`);
    void spool.acknowledge('check', mark);
  }
  await new Promise((resolve) => setImmediate(resolve));
}
