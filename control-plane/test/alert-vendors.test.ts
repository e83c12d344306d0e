import { dingtalkErrors } from '@vantage/shared/_support/vendors/dingtalk.js';
import { telegramChats, telegramErrors } from '@vantage/shared/_support/vendors/telegram.js';
import { wechatErrors } from '@vantage/shared/_support/vendors/wechat.js';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { takeFromBuckets } from '../src/modules/alerts/deliveries/bucket-store.js';
import type { ChannelTypeName } from '../src/modules/alerts/types/registry.js';
import { openAlertPost } from './_support/alert-post.js';
import { knownConfigs } from './_support/channel-attempts.js';
import { settingsFor, startVendorOf, type VendorTypeName } from './_support/vendors/index.js';

// Channels, senders and stand-ins of vendors together: what the sender does with what a type reports.

const MINUTE_MS = 60_000;

/** A sender with a channel at its stand-in; all have one clock. */
async function openAt(t: Test, name: VendorTypeName & ChannelTypeName, fields: object = {}) {
  const clock = { now: () => 0 };
  const vendor = await startVendorOf[name]({ now: () => clock.now() });
  t.teardown(() => vendor.close());
  const post = await openAlertPost(t, { settings: settingsFor(name, vendor), starts: false });
  clock.now = () => post.clock.now();
  const config = { ...knownConfigs[name](vendor.origin), ...fields };
  const channel = await post.addChannel('Chat', name, config);
  post.sender.start();
  return { vendor, post, channel, config };
}

t.test('a message that waited for hours is signed at the time of its attempt', async (t) => {
  const { vendor, post, channel } = await openAt(t, 'dingtalk');
  vendor.answerNext(...Array.from({ length: 16 }, () => dingtalkErrors.busy));
  const [id = ''] = await post.post([channel], { kind: 'firing' });
  await post.pass(180 * MINUTE_MS);
  t.match(await post.delivery(id), { status: 'sent', tries: 17 });
  const waitedMs = (vendor.taken[0]?.atMs ?? 0) - Number((await post.delivery(id))['created_at']);
  t.ok(waitedMs > 60 * MINUTE_MS, `${waitedMs / MINUTE_MS} minutes`);
});

t.test('the new id of a group that moved is stored, and used at once the next time', async (t) => {
  const { vendor, post, channel } = await openAt(t, 'telegram', { chat_id: telegramChats.moved });
  await post.post([channel]);
  await post.quiet();
  t.match(await post.db('alert_channels').where({ id: channel.id }).first(), {
    config: { chat_id: telegramChats.movedTo, bot_token: '********' },
  });
  await post.post([channel]);
  await post.pass(5_000);
  t.match(
    vendor.requests.map(({ body }) => JSON.parse(body.toString()).chat_id),
    [telegramChats.moved, telegramChats.movedTo, telegramChats.movedTo],
  );
});

t.test('a message whose markup is refused is sent once as plain text, at once', async (t) => {
  const { vendor, post, channel } = await openAt(t, 'telegram');
  vendor.answerNext(telegramErrors.cannot_parse);
  const [first = ''] = await post.post([channel]);
  await post.pass(2_000);
  t.match(await post.delivery(first), { status: 'sent', tries: 2, is_plain: true });
  const bodies = vendor.requests.map(({ body }) => JSON.parse(body.toString()));
  t.match([bodies[0].parse_mode, bodies[1].parse_mode], ['HTML', undefined]);
  vendor.answerNext(telegramErrors.cannot_parse, telegramErrors.too_long);
  const [second = ''] = await post.post([channel]);
  await post.pass(5_000);
  t.match(await post.delivery(second), { status: 'dead', reason: 'refused', tries: 2 });
  t.match(await post.db('alert_channels').where({ id: channel.id }).first(), { health: 'ok' }, 'the channel works');
});

t.test('a vendor that requests a pause in its response gets no message of the channel during it', async (t) => {
  const { vendor, post, channel } = await openAt(t, 'telegram');
  vendor.answerNext({
    status: 429,
    body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 100 } },
  });
  await post.post([channel]);
  await post.pass(2_000);
  await post.post([channel]);
  await post.pass(96_000);
  t.equal(vendor.requests.length, 1);
  await post.pass(10_000);
  t.equal(vendor.taken.length, 2);
});

t.test(
  'a spent daily quota of a vendor waits until five past midnight in Shanghai, and nothing is asked before',
  async (t) => {
    const { vendor, post, channel } = await openAt(t, 'wechat');
    const token = { status: 200, body: { access_token: 'TOKEN-1', expires_in: 7_200 } };
    const sinceNine = (post.clock.now() - 540 * MINUTE_MS) % (1_440 * MINUTE_MS);
    await post.pass(1_440 * MINUTE_MS - sinceNine);
    vendor.answerNext(token, wechatErrors.daily_quota);
    const [id = ''] = await post.post([channel], { kind: 'firing' });
    await post.pass(2_000);
    const { next_attempt_at: next } = await post.delivery(id);
    t.match((next as Date).toISOString(), /T16:05:00/);
    const waitMs = (next as Date).getTime() - post.clock.now();
    await post.pass(waitMs - 2_000);
    t.equal(vendor.requests.length, 2);
    await post.pass(MINUTE_MS);
    t.match(await post.delivery(id), { status: 'sent', tries: 2 });
  },
);

t.test('a channel that waits for its vendor goes on at once when it gets another credential', async (t) => {
  const { app_id } = knownConfigs.wechat();
  const { vendor, post, channel } = await openAt(t, 'wechat', { app_id: 'wx0000000000000000' });
  vendor.answerNext({ status: 200, body: { access_token: 'TOKEN-1', expires_in: 7_200 } }, wechatErrors.daily_quota);
  const [id = ''] = await post.post([channel], { kind: 'firing' });
  await post.pass(2_000);
  t.match(await post.delivery(id), { status: 'retrying', tries: 1 });
  const account = { owner: { id: post.userId, kind: 'user', isTest: false } } as never;
  await post.alerts.channels.change(channel.id, { config: { app_id } }, { account, actor: program });
  await post.pass(2_000);
  t.match(await post.delivery(id), { status: 'sent', tries: 2 });
});

t.test('channels with one credential share its rate limit, whichever replica sends', async (t) => {
  const { vendor, post, channel, config } = await openAt(t, 'slack');
  const other = await post.addChannel('Chat again', 'slack', config);
  const replica = post.replica();
  replica.sender.start();
  for (let index = 0; index < 4; index += 1) await post.post([channel, other]);
  await post.pass(30_000);
  t.equal(vendor.taken.length, 8);
  t.equal(vendor.requests.length, 8, 'the limit of the vendor, 1 per second, is never met');
});

t.test('replicas that send at once take no more than a rate limit allows', async (t) => {
  const { db } = await openAlertPost(t, { starts: false });
  const bucket = { count: 5, perMs: 60_000, of: 'credential', key: 'shared' } as const;
  const nowMs = 1_000_000;
  const waits = await Promise.all(Array.from({ length: 20 }, () => takeFromBuckets(db, [bucket], nowMs)));
  t.equal(waits.filter(({ waitMs }) => waitMs === 0).length, 5);
});

t.test('the token of a bot, which is part of its URL, appears in no error, log line or row', async (t) => {
  const { vendor, post, channel, config } = await openAt(t, 'telegram');
  const token = String(Reflect.get(config, 'bot_token'));
  vendor.answerNext({
    status: 502,
    body: `cannot reach /bot${token}/sendMessage and /bot${encodeURIComponent(token)}`,
  });
  const [id = ''] = await post.post([channel]);
  await post.quiet();
  await vendor.close();
  await post.pass(10_000);
  const { attempts } = (await post.delivery(id)) as { attempts: { error: string; response: string | null }[] };
  t.match(attempts[0], { error: /cannot reach \/bot\*{8}/, response: /\/bot\*{8}\/sendMessage and \/bot\*{8}/ });
  t.match(attempts.at(-1), { error: /cannot connect/ });
  const [row] = await post.db('alert_channels').where({ id: channel.id });
  const written = JSON.stringify([await post.delivery(id), row, post.log, await post.registry.metrics()]);
  t.notOk(written.includes(token) || written.includes(token.split(':')[1] ?? ''), 'nor its second half');
});
