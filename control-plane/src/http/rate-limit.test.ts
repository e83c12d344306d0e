import t from 'tap';
import { aRoute } from '../../test/_support/http-routes.js';
import { accounts } from '../../test/_support/http-server.js';
import { defaultPlans } from '../plans.js';
import { addressKey, limitNameOf, limitOf, nodeTestQuota, refusalLimit } from './rate-limit.js';
import type { Account } from './route.js';

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

t.test('waiting, signing in and wrong credentials are counted apart, whatever the plan', async (t) => {
  const key = (name: string, limit: number) => ({ key: `${name}`, limit, windowMs: MINUTE_MS });
  for (const account of [free, unlimited]) {
    const caller = { account, address };
    t.same(limitOf('poll', caller, defaultPlans), key('poll:u_reader', 600));
    t.same(limitOf('sign-in', caller, defaultPlans), key(`sign-in:${address}`, 30), 'by address');
  }
  t.same(limitOf('poll', { account: null, address }, defaultPlans), key(`poll:${address}`, 600));
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
  t.equal(limitNameOf(aRoute('/v1/x', {})), 'standard');
  t.equal(limitNameOf(aRoute('/v1/x', { limit: 'sign-in' })), 'sign-in');
  t.equal(limitNameOf(aRoute('/v1/x', { limit: 'none' })), 'none');
  t.equal(limitNameOf(aRoute('/v1/x', { auth: { kind: 'none' } })), 'none');
  t.equal(limitNameOf(aRoute('/x', { isDocumented: false })), 'none');
});
