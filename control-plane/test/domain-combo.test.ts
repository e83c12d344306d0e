import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { startStack } from './_support/stack.js';

// this clock stands still: the minute in which previews are counted may end at any moment
const { api } = await startStack(t, {}, new FakeClock(Date.now()));
const path = '/v1/domain-combo/preview';
const query = (spec: unknown) => `?spec=${encodeURIComponent(JSON.stringify(spec))}`;
const anybody = { as: null };
const vowels = {
  slots: [
    { kind: 'letter', variant: 'vowel' },
    { kind: 'literal', literal: 'DNS' },
  ],
  tlds: ['com'],
};

t.test('any caller previews a combination, in each of three ways', async (t) => {
  const data = {
    total: 5,
    total_exact: '5',
    effective: 5,
    capped: false,
    sample: ['adns.com', 'edns.com', 'idns.com', 'odns.com', 'udns.com'],
  };
  const ways = [
    await api.call('GET', `${path}${query(vowels)}`, anybody),
    await api.call('GET', `/domain-combo/preview${query(vowels)}`, anybody),
    await api.call('POST', path, { ...anybody, body: vowels }),
  ];
  for (const { status, body } of ways) t.same([status, body.data], [200, data]);
});

t.test('every wrong field is named by its place', async (t) => {
  const spec = {
    slots: [{ kind: 'number', variant: 'vowel' }, { kind: 'word' }, { kind: 'literal' }],
    tlds: ['com', '.net'],
  };
  const fields = {
    'slots.0.variant': [{ code: 'enum' }],
    'slots.1.variant': [{ code: 'required' }],
    'slots.2.literal': [{ code: 'required' }],
    'tlds.1': [{ code: 'format' }],
  };
  const posted = await api.call('POST', path, { ...anybody, body: spec });
  t.equal(posted.status, 400);
  t.match(posted.body.error.details, fields);
  for (const [wrong, field] of [
    ['{', 'spec'],
    ['{"slots":[],"tlds":["com"]}', 'spec.slots'],
    ['{"slots":[{"kind":"number","variant":"single"}],"tlds":["com"],"more":1}', 'spec.more'],
  ] as const) {
    const { status, body } = await api.call('GET', `${path}?spec=${encodeURIComponent(wrong)}`, anybody);
    t.same([status, Object.keys(body.error.details)], [400, [field]], wrong);
  }
});

t.test('the largest specification is counted and not enumerated', async (t) => {
  const spec = {
    slots: Array.from({ length: 8 }, () => ({ kind: 'word', variant: 'pinyin2' })),
    tlds: Array.from({ length: 50 }, () => 'com'),
    exclude: 'q',
  };
  const { status, body } = await api.call('POST', path, { ...anybody, body: spec });
  t.equal(status, 200);
  t.match(body.data, { total: Number.MAX_SAFE_INTEGER, effective: 1_000, capped: true });
  t.ok(BigInt(body.data.total_exact) > 10n ** 40n);
});

t.test('one address previews 60 times a minute, in all ways together', async (t) => {
  const { headers } = await api.call('GET', `${path}${query(vowels)}`, anybody);
  t.equal(headers.get('x-ratelimit-limit'), '60');
  const unversioned = await api.call('GET', `/domain-combo/preview${query(vowels)}`, { as: api.token });
  t.equal(
    Number(headers.get('x-ratelimit-remaining')) - Number(unversioned.headers.get('x-ratelimit-remaining')),
    1,
    'credentials are ignored',
  );
});
