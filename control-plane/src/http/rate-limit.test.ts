import t from 'tap';
import { aRoute } from '../../test/_support/http-routes.js';
import { accounts } from '../../test/_support/http-server.js';
import { addressKey } from '../limits/caller-networks.js';
import { defaultPlans } from '../plans/index.js';
import { limitOf, nodeTestQuota, refusalLimit, routeLimitOf } from './rate-limit.js';
import type { Account, OwnLimit } from './route.js';

const MINUTE_MS = 60_000;
const free = { ...(accounts['reader'] as Account), plan: 'free' as const };
const unlimited = { ...free, plan: 'unlimited' as const };
const address = '203.0.113.7';

t.test('a caller’s limit is that of its plan, by account, or by address without one', async (t) => {
  t.same(limitOf('standard', { account: null, address }, defaultPlans), {
    key: `requests:${address}`,
    limit: 30,
    windowMs: MINUTE_MS,
  });
  t.same(limitOf('standard', { account: free, address }, defaultPlans), {
    key: 'requests:u_reader',
    limit: 60,
    windowMs: MINUTE_MS,
  });
  t.equal(limitOf('standard', { account: unlimited, address }, defaultPlans), null);
  t.equal(limitOf('none', { account: null, address }, defaultPlans), null);
});

t.test(
  'a caller may wait 600 times a minute, or twice as often as its plan allows requests, if that is more',
  async (t) => {
    const limits = [null, 'free', 'pro', 'business', 'unlimited'].map((plan) => {
      const account = plan === null ? null : { ...free, plan: plan as Account['plan'] };
      return limitOf('poll', { account, address }, defaultPlans);
    });
    const perMinute = (limit: number, key = 'poll:u_reader') => ({ key, limit, windowMs: MINUTE_MS });
    t.same(limits, [perMinute(600, `poll:${address}`), perMinute(600), perMinute(600), perMinute(2_400), null]);
  },
);

const signIn: OwnLimit = { name: 'sign-in', limit: 30, per: 'minute', from: 'address' };

t.test('signing in and wrong credentials are counted apart, whatever the plan', async (t) => {
  const key = (name: string, limit: number) => ({ key: `${name}`, limit, windowMs: MINUTE_MS });
  for (const account of [free, unlimited]) {
    const caller = { account, address };
    t.same(limitOf(signIn, caller, defaultPlans), key(`sign-in:${address}`, 30), 'by address');
  }
  t.same(refusalLimit(address), key(`refused:${address}`, 300));
});

t.test('node tests are counted by the day', async (t) => {
  const windowMs = 24 * 60 * MINUTE_MS;
  t.same(nodeTestQuota({ account: null, address }, defaultPlans), {
    key: `node-tests:${address}`,
    limit: 250,
    windowMs,
  });
  t.same(nodeTestQuota({ account: free, address }, defaultPlans), {
    key: 'node-tests:u_reader',
    limit: 1_000,
    windowMs,
  });
  t.equal(nodeTestQuota({ account: unlimited, address }, defaultPlans), null);
});

t.test('an IPv6 address counts as the /64 it is in, however it is written', async (t) => {
  const network = '2001:db8:1:2::/64';
  for (const written of ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:0db8:0001:0002::']) {
    t.equal(addressKey(written), network, written);
  }
  t.not(addressKey('2001:db8:1:3::1'), network);
  t.equal(addressKey('2001:db8::1'), '2001:db8:0:0::/64');
  t.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0::/64');
  for (const written of ['198.51.100.9', '::ffff:198.51.100.9', '::ffff:c633:6409']) {
    t.equal(addressKey(written), '198.51.100.9', written);
  }
});

t.test('every documented operation that looks at credentials counts, unless it says otherwise', async (t) => {
  t.equal(routeLimitOf(aRoute('/v1/x', {})), 'standard');
  t.equal(routeLimitOf(aRoute('/v1/x', { limit: signIn })), signIn);
  t.equal(routeLimitOf(aRoute('/v1/x', { limit: 'none' })), 'none');
  t.equal(routeLimitOf(aRoute('/v1/x', { auth: { kind: 'none' } })), 'none');
  t.equal(routeLimitOf(aRoute('/x', { isDocumented: false })), 'none');
});
