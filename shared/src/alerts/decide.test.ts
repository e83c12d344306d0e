import t from 'tap';
import { acknowledge, aPolicy, aRule, channel, over, resolveByPerson, trouble } from './_support/builders.js';
import { Play } from './_support/play.js';

t.test('an alert is sent when it opens and when it is resolved, once to each channel', async (t) => {
  const play = new Play(aPolicy({ rules: [aRule({ channels: [channel('a'), channel('b', 'x')] })] }));
  play.down(0).at(90, over(80));
  t.same(play.said(), ['0 firing a', '0 firing b:x', '90 resolved a', '90 resolved b:x']);
  t.same(play.history(), ['0 opened', '0 notified', '90 resolved']);
  t.same(play.changes, ['firing', 'resolved']);
  t.match(play.alert, { status: 'resolved', resolution: 'recovered', heldBy: [] });
  t.equal(play.lookAtMs, null);
});

t.test('the same trouble again changes nothing', async (t) => {
  const play = new Play(aPolicy()).down(0).down(10);
  t.same(play.said(), ['0 firing a']);
  t.equal(play.timeline.length, 2);
});

t.test('a change from degraded to down is sent to all who were notified, and to those whom rules add', async (t) => {
  const rules = [
    aRule({ channels: [channel('chat')], severity: ['warning'] }),
    aRule({ channels: [channel('phone')], severity: ['critical'], delay: 60 }),
  ];
  const play = new Play(aPolicy({ rules })).degraded(0).down(100).at(200, over(200));
  t.same(play.said(), [
    '0 firing chat',
    '100 severity chat',
    '160 firing phone',
    '200 resolved chat',
    '200 resolved phone',
  ]);
  t.match(play.alert, { type: 'down', severity: 'critical' });
  t.same(play.changes, ['firing', 'resolved']);
});

t.test(
  'a change from down to degraded only changes the record, and is sent when the monitor is down again',
  async (t) => {
    const play = new Play(aPolicy()).down(0).degraded(100);
    t.match(play.alert, { type: 'degraded', severity: 'warning' });
    t.same(play.down(200).said(), ['0 firing a', '200 severity a']);
    t.same(play.history(), ['0 opened', '0 notified', '100 changed', '200 severity_raised', '200 notified']);
  },
);

t.test('an acknowledgement is sent, and the alert fires again when it gets worse', async (t) => {
  const play = new Play(aPolicy()).degraded(0).at(50, acknowledge).at(60, acknowledge);
  t.match(play.alert, { status: 'acknowledged', acknowledgedBy: 'user', acknowledgedVia: 'api' });
  t.match(play.down(100).alert, { status: 'firing', acknowledgedAtMs: null });
  t.same(play.said(), ['0 firing a', '50 acknowledged a', '100 severity a']);
  t.same(play.changes, ['firing', 'acknowledged', 'firing']);
});

t.test('an acknowledgement ends after its time-out, and those who were notified of it are notified', async (t) => {
  const policy = aPolicy({ escalation: { ack_timeout_sec: 600 } });
  const play = new Play(policy).down(0).at(100, acknowledge).until(701);
  t.match(play.alert, { status: 'firing' });
  t.same(play.said(), ['0 firing a', '100 acknowledged a', '700 reminder a']);
  t.same(play.changes, ['firing', 'acknowledged', 'firing']);
  t.match(play.at(800, acknowledge).alert, { status: 'acknowledged' });
  t.match(play.lookLate(2000).alert, { status: 'firing' });
});

t.test('an acknowledgement after the time-out counts from itself', async (t) => {
  const play = new Play(aPolicy({ escalation: { ack_timeout_sec: 600 } })).down(0).at(100, acknowledge);
  play.lookAtMs = null;
  t.match(play.at(800, acknowledge).alert, { status: 'acknowledged' });
});

t.test('messages that are planned wait while the alert is acknowledged', async (t) => {
  const policy = aPolicy({ rules: [aRule({ delay: 300 })], escalation: { ack_timeout_sec: 600 } });
  const play = new Play(policy).down(0).at(100, acknowledge).until(1000);
  t.same(play.said(), ['700 firing a']);
});

for (const resolution of ['paused', 'archived', 'deleted'] as const) {
  t.test(`a monitor that is ${resolution} resolves its alert at once`, async (t) => {
    const play = new Play(aPolicy({ onRecovery: { delay_sec: 600 } })).down(0).at(60, over(60, resolution));
    t.same(play.said(), ['0 firing a', '60 resolved a']);
    t.match(play.alert, { status: 'resolved', resolution });
  });
}

t.test('the resolution by a user is sent, and no other alert opens while it lasts', async (t) => {
  const play = new Play(aPolicy()).down(0).at(60, resolveByPerson);
  t.match(play.alert, { status: 'resolved', resolution: 'person' });
  t.same(play.said(), ['0 firing a', '60 resolved a']);
  t.same(play.down(120).at(130, resolveByPerson).at(140, acknowledge).at(150, over(150)).said(), []);
  play.alert = null;
  t.same(play.down(200).said(), ['200 firing a']);
});

t.test('an alert whose policy was deleted is resolved, and those who were notified are notified', async (t) => {
  const play = new Play(aPolicy({ onRecovery: { notify: false, delay_sec: 600 } })).down(0);
  play.policy = null;
  play.at(60, { kind: 'look' });
  t.match(play.alert, { status: 'resolved', resolution: 'policy_removed' });
  t.same(play.said(), ['0 firing a', '60 resolved a']);
  t.equal(new Play(null).down(0).alert, null, 'nothing opens without a policy');
});

t.test('a monitor that recovers while its policy is gone has recovered', async (t) => {
  const play = new Play(aPolicy()).down(0);
  play.policy = null;
  t.match(play.at(60, over(50)).alert, { resolution: 'recovered' });
});

t.test('a recovery is sent after its delay, also to the further channels', async (t) => {
  const policy = aPolicy({ onRecovery: { delay_sec: 300, channels: [channel('b'), channel('a')] } });
  const play = new Play(policy).down(0).at(110, over(100));
  t.match(play.alert, { status: 'firing', resolvedAtMs: null });
  t.same(play.until(500).said(), ['0 firing a', '400 resolved a', '400 resolved b']);
  t.equal(play.alert?.resolvedAtMs, (play.alert?.openedAtMs ?? 0) + 100_000);
  t.match(play.alert, { status: 'resolved', recoveredAtMs: null, recoveryTellAtMs: null });
});

t.test('if a monitor is down again within the delay of the recovery, neither is sent', async (t) => {
  const rules = [aRule({ repeat: [200, 10] })];
  const play = new Play(aPolicy({ rules, onRecovery: { delay_sec: 300 } })).down(0).at(100, over(100)).down(399);
  t.same(play.said(), ['0 firing a', '399 reminder a'], 'a reminder that was due meanwhile comes with it');
  t.same(play.at(450, over(450)).until(2000).said(), ['750 resolved a']);
  t.same(play.changes, ['firing', 'resolved']);
});

t.test('a delayed recovery is sent at once when the monitor is paused or the policy is deleted', async (t) => {
  const recovering = () => new Play(aPolicy({ onRecovery: { delay_sec: 300 } })).down(0).at(100, over(100));
  const paused = recovering().at(150, over(150, 'paused'));
  t.match(paused.alert, { resolution: 'recovered' });
  t.same(paused.said(), ['0 firing a', '150 resolved a']);
  const removed = recovering();
  removed.policy = null;
  t.match(removed.at(160, { kind: 'look' }).alert, { resolution: 'recovered' });
  t.match(recovering().at(170, resolveByPerson).alert, { resolution: 'recovered' });
});

t.test('a recovery is not sent if the policy says so, nor to further channels if no one was notified', async (t) => {
  t.same(new Play(aPolicy({ onRecovery: { notify: false } })).down(0).at(60, over(60)).said(), ['0 firing a']);
  const late = aPolicy({ rules: [aRule({ delay: 300 })], onRecovery: { delay_sec: 60, channels: [channel('b')] } });
  const play = new Play(late).down(0).at(60, over(60));
  t.match(play.alert, { status: 'resolved' }, 'at once: there is nothing to notify');
  t.same(play.until(1000).said(), []);
});

t.test('missing data opens an alert after a time, and new data changes it accordingly', async (t) => {
  const play = new Play(aPolicy()).at(10, trouble('no_data', 0, { monitorEventId: null }));
  t.equal(play.alert, null);
  t.equal(play.lookAtMs, Date.parse('2026-01-06T00:15:00Z'), 'to be asked again');
  play.lookAtMs = null;
  play.at(900, trouble('no_data', 0, { monitorEventId: null })).at(1000, trouble('down', 1000));
  t.same(play.said(), ['900 firing a', '1000 severity a']);
  t.match(play.alert, { type: 'down', monitorEventId: 'mev_1' });
  const never = new Play(aPolicy({ suppression: { no_data_after_sec: 0 } })).at(9000, trouble('no_data', 0));
  t.equal(never.alert, null);
  t.equal(never.lookAtMs, null);
});

t.test('a monitor that was down and has no data stays down; one that had recovered has no data', async (t) => {
  const play = new Play(aPolicy()).down(0).at(2000, trouble('no_data', 1000));
  t.match(play.alert, { type: 'down' });
  const recovering = new Play(aPolicy({ onRecovery: { delay_sec: 3600 } })).down(0).at(100, over(100));
  t.match(recovering.at(1500, trouble('no_data', 200)).alert, { type: 'no_data', recoveredAtMs: null });
  t.same(recovering.at(1600, over(1600)).until(9000).said(), ['0 firing a', '5200 resolved a']);
});

t.test('a worse type of the same severity is sent', async (t) => {
  const play = new Play(aPolicy()).degraded(0).at(60, trouble('down', 0, { severity: 'warning' }));
  t.same(play.said(), ['0 firing a', '60 severity a']);
});
