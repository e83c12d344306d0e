import t from 'tap';
import { endsUpTheSame } from './_support/late-histories.js';

t.test('the same results lead to the same events and uptime, in any order and with any delay', (t) =>
  endsUpTheSame(t, 4),
);
