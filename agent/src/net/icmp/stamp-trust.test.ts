import t from 'tap';
import { StampTrust } from './stamp-trust.js';

const calm = 1_700_000_000_000;
const stepped = calm + 30_000;

t.test('while the clock is not set, every timestamp is trusted', async (t) => {
  const trust = new StampTrust();
  for (const noiseMs of [0, 0.001, -0.002, 0.0015]) {
    const offset = calm + noiseMs;
    t.equal(trust.judge({ offsetBeforeMs: offset, offsetAfterMs: offset, isDrained: noiseMs !== 0.001 }), true);
  }
});

t.test(
  'packets that may have arrived before a step of the clock are not trusted, however late they are read',
  async (t) => {
    for (const after of [stepped, calm - 30_000, calm + 0.05]) {
      const trust = new StampTrust();
      t.equal(trust.judge({ offsetBeforeMs: calm, offsetAfterMs: calm, isDrained: true }), true);
      t.equal(trust.judge({ offsetBeforeMs: after, offsetAfterMs: after, isDrained: false }), false, 'more is waiting');
      t.equal(trust.judge({ offsetBeforeMs: after, offsetAfterMs: after, isDrained: false }), false, 'still more');
      t.equal(trust.judge({ offsetBeforeMs: after, offsetAfterMs: after, isDrained: true }), false, 'the last of them');
      t.equal(trust.judge({ offsetBeforeMs: after, offsetAfterMs: after, isDrained: true }), true, 'came after it');
    }
  },
);

t.test('a step in the middle of a reading', async (t) => {
  const trust = new StampTrust();
  t.equal(trust.judge({ offsetBeforeMs: calm, offsetAfterMs: stepped, isDrained: true }), false);
  t.equal(trust.judge({ offsetBeforeMs: stepped, offsetAfterMs: stepped, isDrained: true }), false, 'may be of then');
  t.equal(trust.judge({ offsetBeforeMs: stepped, offsetAfterMs: stepped, isDrained: true }), true);
});
