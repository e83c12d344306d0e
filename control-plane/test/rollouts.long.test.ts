import t from 'tap';
import { playFailing } from './_support/failing-rollout.js';

t.test(
  'a roll-out to a thousand nodes of which 3 % fail halts at the tenth failure, whatever dies meanwhile, and asks no node twice',
  (t) => playFailing(t, { nodes: 1_000, failsEvery: 33 }),
);
