import t from 'tap';
import { judgeHealth } from './health.js';

const HOUR = 3_600_000;
const fresh = {
  health: 'unknown',
  health_since: null,
  failed_since: null,
  last_error: null,
  last_sent_at: null,
  verified_at: null,
  warned_at: null,
} as const;
type Channel = Parameters<typeof judgeHealth>[0];

t.test('a channel fails at once after a permanent refusal, and after 24 hours without success', async (t) => {
  const failed = { result: 'failed', error: 'HTTP 500' } as const;
  let channel: Channel = fresh;
  const after = (atMs: number, result: 'failed' | 'refused' | 'accepted' | 'none' = 'failed') => {
    const { columns, warns } = judgeHealth(channel, { ...failed, result, atMs });
    channel = { ...channel, ...columns };
    return [channel.health, warns];
  };
  t.same(after(0), ['unknown', false]);
  t.same(after(23.9 * HOUR), ['unknown', false]);
  t.same(after(24 * HOUR), ['failing', true]);
  t.same(after(25 * HOUR), ['failing', false], 'one mail a day');
  t.same(after(48 * HOUR), ['failing', true]);
  t.same(after(49 * HOUR, 'accepted'), ['ok', false]);
  t.match(channel, { failed_since: null, last_error: null, last_sent_at: new Date(49 * HOUR) });
  t.same(after(50 * HOUR), ['ok', false], 'the 24 hours begin again');
  t.same(after(51 * HOUR, 'none'), ['ok', false]);
  t.same(after(52 * HOUR, 'refused'), ['failing', true]);
});
