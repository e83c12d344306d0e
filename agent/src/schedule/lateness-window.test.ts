import t from 'tap';
import { LatenessWindow } from './lateness-window.js';

t.test('the worst value of the last minute is known, and older ones are forgotten', async (t) => {
  const window = new LatenessWindow();
  t.equal(window.worst(0), 0);
  window.note(7, 500);
  window.note(30, 10_000);
  window.note(12, 40_000);
  t.equal(window.worst(40_000), 30);
  t.equal(window.worst(69_999), 30);
  t.equal(window.worst(70_000), 12);
  t.equal(window.worst(1e9), 0);
});
