import { setMaxListeners } from 'node:events';
import t from 'tap';
import type { ChannelSettings } from '../src/modules/alerts/types/settings.js';
import { openAlertWorld } from './_support/alert-world.js';
import { knownConfigs, noSettings } from './_support/channel-attempts.js';
import { startReceiver } from './_support/receiver.js';
import { settingsFor, startVendorOf, type VendorTypeName, vendorTypeNames } from './_support/vendors/index.js';

// A storm reaches one channel of each type, through the real senders, at the vendors' stand-ins with their limits and checks. Calls are the
// slowest: three in ten minutes for a number.

const MONITORS = 10_000;
const MINUTE_MS = 60_000;

t.test(
  '10 000 monitors go down and come up again: few messages on each type of channel, and no alert is lost',
  async (t) => {
    setMaxListeners(0);
    const clock = { now: Date.now };
    const vendors = new Map(
      await Promise.all(
        vendorTypeNames.map(async (name) => [name, await startVendorOf[name]({ now: () => clock.now() })] as const),
      ),
    );
    t.teardown(() => Promise.all([...vendors.values()].map((vendor) => vendor.close())));
    const receiver = await startReceiver(t);
    const settings = [...vendors].reduce<ChannelSettings>((all, [name, vendor]) => {
      const { channelUrls, smsGateway, voiceGateway } = settingsFor(name, vendor);
      return {
        channelUrls: { ...all.channelUrls, ...channelUrls },
        smsGateway: smsGateway ?? all.smsGateway,
        voiceGateway: voiceGateway ?? all.voiceGateway,
      };
    }, noSettings);
    const world = await openAlertWorld(t, { settings });
    clock.now = () => world.clock.now();
    const configOf = (name: VendorTypeName) =>
      name === 'slack' ? knownConfigs.slack(vendors.get('slack')?.origin) : knownConfigs[name]();
    const channels = [await world.addChannel('webhook', 'webhook', { url: `${receiver.url}/` })];
    for (const name of vendorTypeNames) channels.push(await world.addChannel(name, name, configOf(name)));
    channels.push(await world.addChannel('email', 'email', { to: ['owner@test.example'] }));
    await world.db('alert_recipients').update({ verified_at: new Date() });
    const alert_policy_id = await world.addPolicy(channels);
    const monitors: string[] = [];
    for (let index = 0; index < MONITORS; index += 1)
      monitors.push(await world.addMonitor(`Shop ${index}`, { alert_policy_id }));

    const alertCounts = async (type: string, kinds: readonly string[]) => {
      const channel = channels.find((one) => one.type === type);
      const rows = await world
        .db('alert_deliveries')
        .where({ channel_id: channel?.id, status: 'sent' })
        .whereIn('kind', kinds)
        .orderBy('id');
      return rows.map(({ alert_count }) => alert_count as number);
    };
    const expectNotified = async (what: string, before: ReadonlyMap<string, number>) => {
      for (const { type } of channels) {
        const counts = (await alertCounts(type, ['firing', 'resolved', 'digest'])).slice(before.get(type) ?? 0);
        t.ok(counts.length <= 8, `${type} ${what}: ${counts.length} messages`);
        t.equal(
          counts.reduce((sum, count) => sum + count, 0),
          MONITORS,
          `${type} ${what}: each alert in one message`,
        );
      }
    };

    await world.happens('down', monitors);
    await world.passAll(25 * MINUTE_MS);
    await expectNotified('down', new Map());
    const before = new Map<string, number>();
    for (const { type } of channels)
      before.set(type, (await alertCounts(type, ['firing', 'resolved', 'digest'])).length);
    await world.happens('up', monitors);
    await world.passAll(25 * MINUTE_MS);
    await expectNotified('up', before);

    const open = await world.db('alert_deliveries').whereNotIn('status', ['sent']).select('status', 'reason', 'kind');
    t.same(open, [], 'nothing waits, failed, or was dropped');
    t.same(await world.db('alert_told'), []);
    for (const [name, { taken }] of vendors)
      if (name !== 'wechat')
        t.ok(
          taken.every(({ text }) => text.length < 5_000),
          `${name} takes all of them`,
        );
    const keys = new Map<string, string>();
    for (const { body } of vendors.get('pagerduty')?.taken ?? []) {
      const { dedup_key: key, event_action: action } = body as Record<string, string>;
      keys.set(String(key), String(action));
    }
    t.same([...new Set(keys.values())], ['resolve'], 'every incident of PagerDuty has ended');
  },
);
