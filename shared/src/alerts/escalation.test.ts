import t from 'tap';
import { acknowledge, aPolicy, aRule, over, quiet, START_MS, step } from './_support/builders.js';
import { Play } from './_support/play.js';

const until = (second: number) => ({ untilMs: START_MS + second * 1000 });
const steps = [step(300, 'b'), step(900, 'b', 'c')];
const escalated = (play: Play) => play.said().filter((line) => line.includes('escalation'));

t.test('steps are taken while the alert fires, and everyone who was notified is notified of its end', async (t) => {
  const play = new Play(aPolicy({ escalation: { steps } })).down(0).at(5000, over(5000));
  t.same(play.said(), [
    '0 firing a',
    '300 escalation b',
    '900 escalation b',
    '900 escalation c',
    '5000 resolved a',
    '5000 resolved b',
    '5000 resolved c',
  ]);
});

t.test('all steps are repeated as often as the policy says, each round after the last step', async (t) => {
  const play = new Play(aPolicy({ escalation: { steps: [step(60, 'b'), step(120, 'c')], repeat: 2 } })).down(0);
  t.same(
    escalated(play.until(9000)).map((line) => line.split(' ')[0]),
    ['60', '120', '180', '240', '300', '360'],
  );
});

t.test('a message that a rule and a step have for a channel is one', async (t) => {
  const play = new Play(aPolicy({ escalation: { steps: [step(300, 'a')] } })).down(0).until(9000);
  t.same(play.said(), ['0 firing a', '300 escalation a']);
});

t.test('steps stand still while the alert is acknowledged, and go on where they were', async (t) => {
  const policy = aPolicy({ escalation: { steps, ack_timeout_sec: 1000 } });
  t.same(escalated(new Play(policy).down(0).at(200, acknowledge).until(9000)), [
    '1300 escalation b',
    '1900 escalation b',
    '1900 escalation c',
  ]);
});

t.test(
  'without a time-out an acknowledged alert takes no step and sends no reminder, until it gets worse',
  async (t) => {
    const policy = aPolicy({ rules: [aRule({ repeat: [300, 100] })], escalation: { steps: [step(300, 'b')] } });
    const play = new Play(policy).degraded(0).at(200, acknowledge).until(2000);
    t.same(play.said(), ['0 firing a', '200 acknowledged a']);
    t.same(play.down(2000).until(2301).said(), ['2000 severity a', '2100 escalation b', '2300 reminder a']);
  },
);

t.test('steps stand still while something holds', async (t) => {
  const policy = aPolicy({ escalation: { steps } });
  const play = new Play(policy)
    .down(0)
    .surround(100, { silence: until(400) })
    .until(9000);
  t.same(escalated(play), ['600 escalation b', '1200 escalation b', '1200 escalation c']);
});

t.test('steps stand still from the moment on which quiet hours begin', async (t) => {
  const policy = aPolicy({ escalation: { steps }, suppression: { quiet_hours: [quiet('00:03', '01:00')] } });
  t.same(escalated(new Play(policy).degraded(0).until(9000)), [
    '3720 escalation b',
    '4320 escalation b',
    '4320 escalation c',
  ]);
});

t.test('steps stand still from the moment on which a silence begins that was planned', async (t) => {
  const play = new Play(aPolicy({ escalation: { steps } }));
  play.nextHoldAtMs = until(100).untilMs;
  play.down(0).until(100);
  Object.assign(play, { context: { silence: until(400) }, nextHoldAtMs: null });
  t.same(escalated(play.until(9000)), ['600 escalation b', '1200 escalation b', '1200 escalation c']);
  t.ok(play.history().includes('100 held'));
});

t.test('steps stand still while a recovery is delayed', async (t) => {
  const policy = aPolicy({ escalation: { steps }, onRecovery: { delay_sec: 600 } });
  const play = new Play(policy).down(0).at(100, over(100)).down(400);
  t.same(escalated(play.until(9000)), ['600 escalation b', '1200 escalation b', '1200 escalation c']);
});

t.test(
  'a look that comes hours late takes each step of the round once, and then the next round in its time',
  async (t) => {
    const play = new Play(aPolicy({ escalation: { steps, repeat: 1 } })).down(0).lookLate(40_000);
    t.same(play.said(), ['0 firing a', '40000 escalation b', '40000 escalation c']);
    t.same(play.until(90_000).said(), ['40300 escalation b', '40900 escalation b', '40900 escalation c']);
  },
);
