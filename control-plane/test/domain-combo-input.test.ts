import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startStack } from './_support/stack.js';

const { api } = await startStack(t, { VANTAGE_TRUSTED_PROXIES: '127.0.0.1' });
const path = '/v1/domain-combo/preview';
let callers = 0;

/** Sends a request as a stranger who has sent none before: an address may send 60 a minute. */
function send(method: 'GET' | 'POST', address: string, body?: object) {
  callers += 1;
  const headers = { 'x-forwarded-for': `20.0.0.${callers}` };
  return api.call(method, address, { as: null, headers, ...(body === undefined ? {} : { body }) });
}

const query = (spec: object) => `${path}?spec=${encodeURIComponent(JSON.stringify(spec))}`;
/** Arrays in arrays. */
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const slot = { kind: 'number', variant: 'single' };
const tlds = ['com'];
const literal = (text: string) => ({ slots: [{ kind: 'literal', literal: text }], tlds });

const refused: Readonly<Record<string, { readonly spec: object; readonly field: string }>> = {
  nothing: { spec: {}, field: 'slots' },
  'nine slots': { spec: { slots: Array.from({ length: 9 }, () => slot), tlds }, field: 'slots' },
  'no slot': { spec: { slots: [], tlds }, field: 'slots' },
  'slots that are a text': { spec: { slots: '[]', tlds }, field: 'slots' },
  '51 top-level domains': { spec: { slots: [slot], tlds: Array(51).fill('com') }, field: 'tlds' },
  'no top-level domain': { spec: { slots: [slot], tlds: [] }, field: 'tlds' },
  'a dot at the edge': { spec: { slots: [slot], tlds: ['.com'] }, field: 'tlds.0' },
  'a literal of 64 characters': { spec: literal('x'.repeat(64)), field: 'slots.0.literal' },
  'an empty literal': { spec: literal(''), field: 'slots.0.literal' },
  'a literal without its text': { spec: { slots: [{ kind: 'literal' }], tlds }, field: 'slots.0.literal' },
  'an unknown kind': { spec: { slots: [{ kind: 'emoji' }], tlds }, field: 'slots.0.kind' },
  'a variant of another kind': {
    spec: { slots: [{ kind: 'word', variant: 'triple' }], tlds },
    field: 'slots.0.variant',
  },
  '65 excluded characters': { spec: { slots: [slot], tlds, exclude: 'x'.repeat(65) }, field: 'exclude' },
  'half a domain as cap': { spec: { slots: [slot], tlds, cap: 0.5 }, field: 'cap' },
};

for (const [what, { spec, field }] of Object.entries(refused)) {
  t.test(`a specification with ${what} is refused by its field, in the body and in the address`, async (t) => {
    for (const [name, answer] of [
      [field, await send('POST', path, spec)],
      [`spec.${field}`, await send('GET', query(spec))],
    ] as const) {
      t.match(answer, { status: 400, body: { error: { code: 'VALIDATION_FAILED' } } });
      t.match(answer.body.error.details, { [name]: [{ code: /./, message: /./ }] });
    }
  });
}

t.test('an address without one specification that is JSON is refused by its parameter', async (t) => {
  const whole = encodeURIComponent(JSON.stringify({ slots: [slot], tlds }));
  for (const text of [
    '',
    '?spec=',
    '?spec=%7B',
    '?spec=%00',
    '?spec=null',
    '?spec=[]',
    `?spec=${nested(40)}`,
    `?spec=%7B%22slots%22:${nested(40)},%22tlds%22:[%22com%22]%7D`,
    `?spec=%22${'x'.repeat(8_192)}%22`,
    `?spec=${whole}&spec=${whole}`,
  ]) {
    const { status, body } = await send('GET', `${path}${text}`);
    t.match([status, body.error], [400, { code: 'VALIDATION_FAILED', details: {} }], text.slice(0, 60));
    const names = Object.keys(body.error?.details ?? {});
    t.ok(names.length > 0 && names.every((name) => /^spec(?:\.|$)/.test(name)), `${text.slice(0, 60)}: ${names}`);
  }
  const deep = await send('POST', path, { slots: JSON.parse(nested(40)), tlds });
  t.match(deep, { status: 400, body: { error: { code: 'REQUEST_BODY_INVALID' } } });
});

t.test('a literal that makes no label is counted, and is not among the first domains', async (t) => {
  for (const [text, sample] of [
    ['a.b', []],
    ['a b', []],
    ['-a', []],
    ['\u202e', []],
    ['<b>', []],
    ['xn--a', []],
    ['💩', ['xn--ls8h.com']],
    ['Bücher', ['xn--bcher-kva.com']],
  ] as const) {
    const { status, body } = await send('POST', path, literal(text));
    t.strictSame([status, body.data?.total, body.data?.sample], [200, 1, sample], text);
  }
});

// Callers rely on the order of combinations. With VANTAGE_TEST_RECORD=1 the present one is written there instead of compared:
// read the difference before you commit it.
const recorded = fileURLToPath(new URL('../../test/testdata/domain-combos.json', import.meta.url));

t.test('combinations come in the recorded order', async (t) => {
  const combos: readonly { readonly spec: object }[] = JSON.parse(readFileSync(recorded, 'utf8'));
  const found = [];
  for (const { spec } of combos) {
    const { data } = (await send('POST', path, spec)).body;
    found.push({ spec, total_exact: data?.total_exact, sample: data?.sample });
  }
  if (process.env['VANTAGE_TEST_RECORD'] === '1') writeFileSync(recorded, `${JSON.stringify(found, null, 2)}\n`);
  else t.strictSame(found, combos);
});
