import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { createLogger } from '../runtime/log.js';
import { LinkSessions, type LinkSessionsPorts } from './link-sessions.js';

t.test('records that a database lost are searched until the search succeeds', async (t) => {
  const clock = new FakeClock();
  let looks = 0;
  let reported = 0;
  const link = { nodeId: 'n_1', known: { nodeId: 'n_1' }, lookForAssignments: () => void (reported += 1) };
  const known = { generation: 1, marks: { task: 0, check: 0 }, nodeId: 'n_1' };
  const sessions = new LinkSessions({
    clock,
    log: createLogger('silent'),
    table: { all: () => [{ ...link, known }].values() },
    store: {
      findLinks: async () => {
        looks += 1;
        if (looks < 3) throw new Error('terminating connection due to administrator command');
        return [known];
      },
    },
  } as unknown as LinkSessionsPorts);
  const looked = sessions.lookForLoss();
  for (let waited = 0; waited < 2; waited += 1) {
    await new Promise(setImmediate);
    t.equal(reported, 0);
    clock.advance(1_000);
  }
  await looked;
  t.equal(looks, 3);
  t.equal(reported, 1, 'and then its node hears what it is to watch');
});
