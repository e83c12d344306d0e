import t from 'tap';
import { acknowledge, aPolicy, aRule, channel, daily, over, step } from './_support/builders.js';
import { Play } from './_support/play.js';

t.test('a rule applies by severity, by any of its tags, and by its window', async (t) => {
  const rules = [
    aRule({ channels: [channel('all')] }),
    aRule({ channels: [channel('warning')], severity: ['warning', 'info'] }),
    aRule({ channels: [channel('tag')], tags: ['prod', 'edge'] }),
    aRule({ channels: [channel('other tag')], tags: ['lab'] }),
    aRule({ channels: [channel('night')], window: daily('22:00', '06:00') }),
    aRule({ channels: [channel('day')], window: daily('09:00', '17:00') }),
  ];
  const play = new Play(aPolicy({ rules }));
  play.tags = ['edge'];
  t.same(play.degraded(0).said(), ['0 firing all', '0 firing warning', '0 firing tag', '0 firing night']);
});

t.test('a channel that is named twice gets one message, at the smaller delay, for the recipients of all', async (t) => {
  const rules = [
    aRule({ channels: [channel('a', 'x'), channel('b', 'x')], delay: 60 }),
    aRule({ channels: [channel('a', 'y', 'x')], delay: 30 }),
    aRule({ channels: [channel('b')], delay: 90 }),
  ];
  t.same(new Play(aPolicy({ rules })).down(0).until(1000).said(), ['30 firing a:x,y', '60 firing b']);
});

t.test('a rule with a delay sends after it, and nothing about alerts that have ended by then', async (t) => {
  const policy = aPolicy({ rules: [aRule({ delay: 300 })] });
  t.same(new Play(policy).down(0).until(301).said(), ['300 firing a']);
  t.same(new Play(policy).down(0).at(300, over(300)).until(1000).said(), []);
});

t.test('a window that begins while the alert fires causes a message, once', async (t) => {
  const rules = [
    aRule({ channels: [channel('day')], window: daily('09:00', '17:00') }),
    aRule({ channels: [channel('late')], window: daily('09:00', '17:00'), delay: 36_000 }),
  ];
  const play = new Play(aPolicy({ rules })).down(0).until(3 * 86_400);
  t.same(play.said(), ['32400 firing day', '36000 firing late']);
});

t.test('a window that is open when an acknowledged alert fires again is asked', async (t) => {
  const rules = [aRule({ channels: [channel('day')], window: daily('09:00', '17:00') })];
  const policy = aPolicy({ rules, escalation: { ack_timeout_sec: 36_000 } });
  t.same(new Play(policy).down(0).at(60, acknowledge).until(86_400).said(), ['36060 firing day']);
});

t.test('recipients that a later rule adds are notified; those who were notified before are not', async (t) => {
  const rules = [
    aRule({ channels: [channel('a', 'x')] }),
    aRule({ channels: [channel('a', 'x', 'y')], severity: ['info'], delay: 0 }),
    aRule({ channels: [channel('a', 'x', 'z')], window: daily('01:00', '02:00') }),
  ];
  const play = new Play(aPolicy({ rules })).down(0).until(7200).at(7200, over(7200));
  t.same(play.said(), ['0 firing a:x', '3600 reminder a:z', '7200 resolved a:x,z']);
});

t.test(
  'reminders come at their interval, as often as the rule says, and not while the alert is acknowledged',
  async (t) => {
    const policy = aPolicy({ rules: [aRule({ repeat: [300, 3] }), aRule({ channels: [channel('b')] })] });
    const play = new Play(policy).down(0).until(9000);
    t.same(play.said(), ['0 firing a', '0 firing b', '300 reminder a', '600 reminder a', '900 reminder a']);
    const acknowledged = new Play(policy).down(0).at(400, acknowledge).until(9000);
    t.same(acknowledged.said().slice(2), ['300 reminder a', '400 acknowledged a', '400 acknowledged b']);
  },
);

t.test('a message of another reason moves the next reminder', async (t) => {
  const policy = aPolicy({ rules: [aRule({ repeat: [300, 2] })] });
  t.same(new Play(policy).degraded(0).down(200).until(9000).said(), [
    '0 firing a',
    '200 severity a',
    '500 reminder a',
    '800 reminder a',
  ]);
});

t.test('a channel that a step notified first is reminded by the rule that names it later', async (t) => {
  const rules = [aRule({ delay: 600, repeat: [300, 2] })];
  const policy = aPolicy({ rules, escalation: { steps: [step(60, 'a')] } });
  t.same(new Play(policy).down(0).until(9000).said(), ['60 escalation a', '600 reminder a', '900 reminder a']);
});

t.test('plans follow the policy at the time when they are due, and no recipient is left out', async (t) => {
  const play = new Play(aPolicy({ rules: [aRule({ channels: [channel('a'), channel('b')], delay: 60 })] })).down(0);
  play.policy = aPolicy({
    rules: [aRule({ channels: [channel('b')], delay: 60 }), aRule({ channels: [channel('c')], delay: 90 })],
  });
  t.same(play.until(1000).said(), ['60 firing b', '90 firing c']);
  play.policy = aPolicy({ rules: [aRule({ channels: [channel('new')] })] });
  t.same(play.at(1000, { kind: 'look' }).said(), [], 'a new rule is not asked about notified alerts');
  t.same(play.at(1010, over(1010)).said(), ['1010 resolved b', '1010 resolved c']);
});

t.test('a deleted rule, or one that no longer names the channel, sends no reminders', async (t) => {
  const play = new Play(aPolicy({ rules: [aRule({ repeat: [300, 9] })] })).down(0).until(301);
  play.policy = aPolicy({ rules: [aRule({ channels: [channel('b')], repeat: [300, 9] })] });
  t.same(play.until(9000).said(), ['0 firing a', '300 reminder a']);
});
