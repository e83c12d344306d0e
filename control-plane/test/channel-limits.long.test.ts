import t from 'tap';
import type { Bucket } from '../src/modules/alerts/types/channel-type.js';
import { channelTypes } from '../src/modules/alerts/types/registry.js';
import { messagesAtMs } from './_support/alert-messages.js';
import { deliver, knownConfigs, noSettings } from './_support/channel-attempts.js';
import { settingsFor, startVendorOf, vendorTypeNames } from './_support/vendors/index.js';

const types = channelTypes(noSettings);
/** Types with a limit of their vendor; what goes to people one by one has that of the recipient alone. */
const limited = vendorTypeNames.filter((name) => types[name].buckets.some((bucket) => bucket.of !== 'recipient'));

for (const name of limited) {
  t.test(`${name}: a sender that stays within our rate limits exceeds no limit of the vendor`, async (t) => {
    const clock = { nowMs: messagesAtMs };
    const vendor = await startVendorOf[name]({ now: () => clock.nowMs });
    t.teardown(() => vendor.close());
    const type = channelTypes(settingsFor(name, vendor))[name];
    const config = knownConfigs[name](vendor.origin);
    const sentAtMs: number[] = [];
    const endMs = messagesAtMs + 125_000;
    const most = 250;
    while (clock.nowMs < endMs && sentAtMs.length < most) {
      const outcome = await deliver(type, { config, nowMs: clock.nowMs });
      if (outcome.kind !== 'accepted') return t.fail(`message ${sentAtMs.length + 1}: ${JSON.stringify(outcome)}`);
      sentAtMs.push(clock.nowMs);
      clock.nowMs = Math.max(...type.buckets.map((bucket) => nextFreeMs(bucket, sentAtMs, clock.nowMs)));
    }
    t.ok(sentAtMs.length >= 18, `${sentAtMs.length} messages`);
  });
}

/** First instant at which a bucket takes one more, counting any window of its length. */
function nextFreeMs({ count, perMs }: Bucket, sentAtMs: readonly number[], nowMs: number): number {
  const oldest = sentAtMs.at(-count);
  return oldest === undefined || sentAtMs.length < count ? nowMs : Math.max(nowMs, oldest + perMs);
}
