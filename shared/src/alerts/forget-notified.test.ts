import t from 'tap';
import { aPolicy, over, START_MS, step } from './_support/builders.js';
import { Play } from './_support/play.js';
import { forgetNotified } from './forget-notified.js';

const until = (second: number) => ({ untilMs: START_MS + second * 1000 });

/** A silence from second 310 to 1000, which drops the message of the only step on its way to channel b. */
function silenced(): Play {
  const policy = aPolicy({ escalation: { steps: [step(300, 'b')] } });
  const play = new Play(policy)
    .down(0)
    .until(305)
    .surround(310, { silence: until(1000) });
  if (play.alert === null) throw new Error('no alert is open');
  Object.assign(play, { alert: forgetNotified(play.alert, ['b'], START_MS + 310_000) });
  return play;
}

t.test('a channel of a step whose message a silence dropped is notified when the silence ends', async (t) => {
  const play = silenced().until(2000).at(5000, over(5000));
  t.same(play.said(), ['0 firing a', '300 escalation b', '1000 firing b', '5000 resolved a', '5000 resolved b']);
});

t.test(
  'a channel of a step whose message a silence dropped is not notified of an end inside the silence',
  async (t) => {
    const play = silenced().at(500, over(500)).until(2000);
    t.same(play.said(), ['0 firing a', '300 escalation b', '500 resolved a']);
  },
);
