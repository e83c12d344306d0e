import t from 'tap';
import { blankPolicy, catchAll } from './policy-defaults.js';
import type { PolicyFields } from './policy-row.js';
import { withChannel, withoutChannel } from './with-channel.js';

const choice = (id: string) => ({ type: 'webhook' as const, channel_id: id, to: null });
const usual = { type: 'email' as const, channel_id: 'default', to: null };
const step = (...ids: string[]) => ({ after_sec: 60, channels: ids.map(choice), schedule_id: null });

t.test('a channel is removed from every part of a policy, and the default one replaces the last', async (t) => {
  const policy: PolicyFields = {
    ...blankPolicy,
    name: 'Policy',
    rules: [catchAll([choice('gone'), choice('kept')]), catchAll([choice('gone')]), catchAll([])],
    escalation: { steps: [step('gone'), step('kept', 'gone')], repeat: 0, ack_timeout_sec: 0 },
    on_recovery: { notify: true, delay_sec: 0, channels: [choice('gone')] },
  };
  const { rules, escalation, on_recovery: recovery } = withoutChannel(policy, 'gone', usual);
  t.strictSame(
    rules.map(({ channels }) => channels),
    [[choice('kept')], [usual], []],
  );
  t.strictSame(
    escalation.steps.map(({ channels }) => channels),
    [[usual], [choice('kept')]],
  );
  t.strictSame(recovery.channels, []);
});

t.test('a new channel gets what a policy sends to others, unless a rule has no room for it', async (t) => {
  const policy = (...rules: string[][]): PolicyFields => ({
    ...blankPolicy,
    name: 'Default',
    rules: rules.map((ids) => catchAll(ids.map(choice))),
  });
  const joined = withChannel(policy(['one'], [], ['two', 'three']), choice('new'));
  t.strictSame(
    joined?.rules.map(({ channels }) => channels.map(({ channel_id: id }) => id)),
    [['one', 'new'], [], ['two', 'three', 'new']],
  );
  t.equal(withChannel(policy(['one'], [...'0123456789']), choice('new')), null);
});
