import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { startWorker } from '../src/jobs/worker.js';
import { createTestDatabase } from './_support/database.js';
import { collectLog } from './_support/log-lines.js';
import { StatementTap } from './_support/statement-tap.js';

t.test(
  'a worker that ends while its connection is lost before it listens leaves no error to end the process',
  async (t) => {
    const { url } = await createTestDatabase(t);
    const { log, lines } = collectLog();
    const tap = await StatementTap.start(t, url);
    const caught = tap.catchNext('LISTEN "jobs:insert"', 'before');
    const worker = startWorker({
      url: tap.url,
      workerId: 'rep_1',
      tasks: new Map([['test.none', async () => {}]]),
      log,
    });
    await caught;
    worker.stop();
    await worker.ending;
    await nextTurn();
    tap.cut();
    // a rejection that no one handles fails the test
    await worker.ended;
    await worker.close();
    t.ok(lines.some(({ msg }) => msg === 'job worker reported a problem'));
  },
);
