import t from 'tap';
import { SentLedger } from './sent-ledger.js';

t.test('only what was sent can be answered, once', async (t) => {
  const ledger = new SentLedger();
  ledger.markSent(3, 1000);
  t.equal(ledger.settle(2, 1001), null, 'never sent');
  t.same(ledger.settle(3, 1001.5), { rttMs: 1.5, isDuplicate: false });
  t.same(ledger.settle(3, 1002), { rttMs: 2, isDuplicate: true });
  t.match(ledger.settle(3, 999.998), { rttMs: 0 }, 'no answer is older than its question');
});
