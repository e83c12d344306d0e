import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { type Channel, channelsText, testText } from './channels-text.js';

const slack: Channel = {
  id: 'ch_1CdGnXNdrQYAqXuGNwgFX8',
  name: 'Slack',
  type: 'slack',
  verified: false,
  enabled: true,
  recipients: [],
  health: { status: 'unknown', last_error: null },
  used_by: [{ id: 'ap_1', name: 'Default' }],
};

t.test('channels show whether they work and which policies use them', async (t) => {
  const email = {
    ...slack,
    name: 'ops',
    type: 'email',
    recipients: [{ to: 'ops@example.com', verified: false }],
    used_by: [],
  };
  const failing = { ...slack, name: 'Hook', health: { status: 'failing', last_error: 'HTTP 410' } };
  t.strictSame(channelsText([slack, email, failing], { width: 60, paint: plain }).split('\n'), [
    'NAME   TYPE   STATE         USED BY',
    'Slack  slack  not used yet  Default',
    'ops    email  unverified    no policy',
    'Hook   slack  failing       Default',
  ]);
});

t.test('a test shows the words of the receiver, or why nothing was sent', async (t) => {
  const attempt = { duration_ms: 118, error: null, response: 'ok\n' };
  const delivery = { status: 'sent', reason: null, attempts: [attempt] };
  t.equal(testText({ ok: true, delivery }), 'accepted in 118 ms: ok');
  const refused = { ...delivery, attempts: [{ ...attempt, error: 'HTTP 404', response: 'no_service' }] };
  t.equal(testText({ ok: false, delivery: refused }), 'not accepted: HTTP 404: no_service');
  const dropped = { status: 'dropped', reason: 'unverified', attempts: [] };
  t.match(testText({ ok: false, delivery: dropped }), /^not sent: no recipient has confirmed/);
  t.equal(
    testText({ ok: false, delivery: { ...dropped, reason: 'channel_disabled' } }),
    'not accepted: channel_disabled',
  );
  t.match(testText({ ok: true, delivery: null }), /^nothing was sent/);
});
