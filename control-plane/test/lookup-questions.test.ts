import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { type LookupKind, lookupOf, lookups } from '../src/modules/lookups/kinds/registry.js';
import { runInProcess } from './_support/command-in-process.js';
import { joinNode, startLookups } from './_support/lookup-world.js';
import { patientClock } from './_support/patient-clock.js';
import { list } from './_support/reputation-checks.js';
import { writeLists } from './_support/reputation-world.js';

const centers = list(t, 'centers', 'hosting', ['8.0.0.0/8'], { startMs: Date.now() });
const world = await startLookups(t, [patientClock], {
  VANTAGE_ALLOW_TARGETS: '',
  VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
  VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": null, "node_tests_per_day": 100000}}',
  VANTAGE_REPUTATION_LISTS: writeLists(t, [centers]),
});
const node = await joinNode(t, world, { isAnswering: true });
const [api] = world.apis;

const kinds = Object.keys(lookups) as LookupKind[];
/** Kinds that have a page and a command. */
const shownKinds = [...kinds, 'reputation'] as const;
/** Every third of these for a kind, and each for some: a page and a command read a question as the API does. */
const shareOf = <T>(all: readonly T[], kind: (typeof shownKinds)[number]) =>
  all.filter((_, index) => index % 3 === shownKinds.indexOf(kind) % 3);
const onNodes = kinds.filter((kind) => lookupOf(kind).runs === 'on a node');
const ask = (kind: string, query: string, as: string | null = null) =>
  api.call('GET', `/v1/info/${kind}${query}`, { as });
const askAbout = (kind: string, q: string) => ask(kind, `?q=${encodeURIComponent(q)}`);

/** Target of the last job that the node got. */
function lastTarget(): string {
  const job = node.frames.findLast(({ job }) => job)?.job;
  return JSON.parse(Buffer.from(job?.specJson ?? '{}').toString()).target;
}

type Outcome = { readonly name: string } | 400 | 422;

/** A name of this length without final dot: labels of 60 characters, below .com. */
function nameOf(length: number): string {
  const rest = length - '.com'.length;
  const labels = Array.from({ length: Math.ceil(rest / 61) }, (_, i) => 'a'.repeat(Math.min(60, rest - 61 * i)));
  return `${labels.join('.')}.com`;
}

const names: readonly (readonly [written: string, outcome: Outcome])[] = [
  ['bücher.de', { name: 'xn--bcher-kva.de' }],
  ['BÜCHER.de.', { name: 'xn--bcher-kva.de' }],
  ['bu\u0308cher.de', { name: 'xn--bcher-kva.de' }],
  ['例え.jp', { name: 'xn--r8jz45g.jp' }],
  ['例え。jp', 422],
  ['straße.de', { name: 'xn--strae-oqa.de' }],
  ['xn--strae-oqa.de', { name: 'xn--strae-oqa.de' }],
  ['ß', 422],
  ['xn--a.de', 400],
  ['xn--.de', 400],
  ['xn--zzzzzzz99999.de', 400],
  ['１２３.de', 422],
  ['１.２.３.４', 422],
  ['аpple.de', { name: 'xn--pple-43d.de' }],
  ['ex\u00adample.de', 422],
  ['ex\u200bample.de', 422],
  ['💩.de', { name: 'xn--ls8h.de' }],
  [nameOf(253), { name: nameOf(253) }],
  [nameOf(254), 400],
  [`${'ü'.repeat(250)}.de`, 400],
];

for (const kind of kinds) {
  t.test(`${kind}: names in Unicode are their A-labels, or refused`, async (t) => {
    for (const [written, outcome] of names) {
      const label = written.slice(0, 30);
      const { status, body } = await askAbout(kind, written);
      if (typeof outcome === 'number' || kind === 'ip') {
        // what is no address is none for a kind that takes addresses alone
        const isRefused = outcome === 422 && kind !== 'ip';
        t.match(
          [status, body.error],
          [
            isRefused ? 422 : 400,
            { code: isRefused ? 'PROBE_TARGET_INVALID' : 'VALIDATION_FAILED', details: { q: [{}] } },
          ],
          label,
        );
      } else {
        t.equal(status, 200, `${label} ${JSON.stringify(body.error)}`);
        t.ok(expectedTargets(outcome.name).includes(lastTarget()), `${label}: ${lastTarget()}`);
      }
    }
  });
}

/** Targets that kinds ask about: a name, its registrable domain, its URL. */
function expectedTargets(name: string): string[] {
  return [name, name.split('.').slice(-2).join('.'), `http://${name}/`];
}

/** Questions of all kinds that were paid for. */
const paid = async () => {
  const rows = await world.database.db('rate_windows').whereLike('key', 'node-tests:%').select('used');
  return rows.reduce((sum: number, { used }) => sum + Number(used), 0);
};

const missingOrTwice = ['', '?', '?q=', '?q=%20', '?q=a.com&q=b.com', '?q=a.com&q=a.com', '?q[]=a.com'];
const malformed = [
  'x'.repeat(10_000),
  'a\u0000.com',
  'a\nb.com',
  'a.com\r\nHost: b.com',
  '1.2.3.4/24',
  '[::1]x',
  'a b.com',
  '\u202ea.com',
];
// other parsers read these as addresses
const numeric = ['127.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '1.2.3.04', '1.2.3', '::ffff:1.2.3.4x'];
const about: Readonly<Record<LookupKind, { readonly refuses: readonly string[] }>> = {
  ip: { refuses: ['example.com', 'https://1.1.1.1/', '[2606:4700::1111]', '1.1.1.1:80'] },
  whois: { refuses: ['https://example.com/', 'example.com/path', '[2606:4700::1111]', 'example.com:43'] },
  ssl: { refuses: ['https://example.com/', 'example.com:443', '1.1.1.1', '2606:4700::1111', '[::1]'] },
  dns: { refuses: ['https://example.com/', 'example.com:53', '1.1.1.1', '2606:4700::1111', '[::1]'] },
  icp: { refuses: ['https://example.com/', 'example.com/path', '1.1.1.1', '2606:4700::1111', '[::1]'] },
  headers: { refuses: ['1.1.1.1', '[2606:4700::1111]', 'mailto:example.com'] },
};

for (const kind of kinds) {
  t.test(`${kind}: what is no question is refused by name, and no node gets it`, async (t) => {
    const before = node.jobs.length;
    const paidBefore = await paid();
    for (const query of missingOrTwice) {
      const { status, body } = await ask(kind, query);
      t.match([status, body.error], [400, { code: 'VALIDATION_FAILED', details: { q: [{}] } }], query);
    }
    for (const text of [...malformed, ...numeric, ...about[kind].refuses]) {
      const { status, body } = await askAbout(kind, text);
      const code = { 400: 'VALIDATION_FAILED', 422: 'PROBE_TARGET_INVALID' }[status];
      t.match(
        body.error,
        { code: code ?? 'of 400 or 422', details: { q: [{ message: /./ }] } },
        `${JSON.stringify(text.slice(0, 30))}: ${status}`,
      );
    }
    t.equal(node.jobs.length, before);
    t.equal(await paid(), paidBefore, 'and nothing is charged');
  });
}

for (const kind of onNodes) {
  t.test(`${kind}: only a caller with credentials may name the oldest answer that is wanted`, async (t) => {
    const query = `?q=age.example.com&max_age_s=0`;
    t.match(await ask(kind, query), { status: 403, body: { error: { code: 'FORBIDDEN' } } });
    t.match(await ask(kind, query, api.token), { status: 200, body: { meta: { cache: { hit: false } } } });
    t.match(
      await ask(kind, query, api.token),
      { status: 200, body: { meta: { cache: { hit: true } } } },
      'once a minute',
    );
    for (const age of ['-1', '604801', '1.5', 'x', '']) {
      const { status, body } = await ask(kind, `?q=age.example.com&max_age_s=${age}`, api.token);
      t.match([status, body.error?.details], [400, { max_age_s: [{}] }], age);
    }
  });
}

t.test('questions of names were paid for, one by one', async (t) => {
  t.ok((await paid()) >= names.length);
});

t.test('reputation: names in Unicode are their A-labels, or refused', async (t) => {
  const check = (q: string) => api.call('GET', `/v1/ip/reputation?q=${encodeURIComponent(q)}`, { as: null });
  await until('the list', async () => (await check('8.8.8.8')).status === 200);
  const refusal = { 400: 'VALIDATION_FAILED', 422: 'PROBE_TARGET_INVALID' };
  for (const [written, outcome] of names) {
    const label = written.slice(0, 30);
    if (typeof outcome === 'number') {
      const { status, body } = await check(written);
      t.match([status, body.error], [outcome, { code: refusal[outcome], details: { q: [{}] } }], label);
    } else if (written.length < 100) {
      // a name below it: its own records are known by now
      const { body } = await check(`www.${written}`);
      t.match([lastTarget(), body.error.details.q], [`www.${outcome.name}`, [{ code: 'not_found' }]], label);
    }
  }
});

t.test('pages take the same names, and refuse the same, as text', async (t) => {
  const before = node.jobs.length;
  let visitors = 0;
  const seen = async (kind: string, q: string) => {
    // an address may open 120 pages a minute
    visitors += 1;
    const headers = { 'x-forwarded-for': `20.0.${visitors >> 6}.1` };
    const response = await fetch(`${api.url}/lookup/${kind}/${encodeURIComponent(q)}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  for (const kind of shownKinds) {
    for (const [written, outcome] of shareOf(names, kind)) {
      const { status, text } = await seen(kind, written);
      const label = `${kind} ${written.slice(0, 30)}`;
      if (kind === 'ip') t.equal(status, 400, label);
      else t.equal(status, typeof outcome === 'number' ? outcome : 200, label);
      t.match(text, '<h1>', label);
    }
    const questions = [...malformed, ...numeric, '<script>alert(1)</script>', '\u001b[2J\u202e.de'];
    for (const written of shareOf(questions, kind)) {
      const { status, text } = await seen(kind, written);
      const label = `${kind} ${JSON.stringify(written.slice(0, 30))}`;
      t.ok(kind === 'reputation' ? status < 500 : [400, 404, 422].includes(status), `${label}: ${status}`);
      t.notMatch(text, /<script|[\u0000\u001b\u202e]/, label);
    }
    if (kind === 'ip') continue;
    const asked = await fetch(`${api.url}/lookup/${kind}/localhost`, { method: 'POST' });
    t.equal(asked.status, 422, `${kind}: the button asks no more than the API`);
  }
  t.equal(node.jobs.length, before, 'no node was asked');
});

t.test('commands take the same names, and refuse the same with 2', async (t) => {
  const run = (kind: string, q: string, ...options: string[]) =>
    runInProcess('vantage', ['lookup', kind, ...options, '--json', '--', q], { env: { VANTAGE_URL: api.url } });
  for (const [written, outcome] of names) {
    // no one has asked about this port
    const { code, stdout, stderr } = await run('ssl', written, '--port', '8443');
    const label = written.slice(0, 30);
    if (typeof outcome === 'number')
      t.match({ code, stdout, stderr }, { code: 2, stdout: '', stderr: /^vantage: argument: / }, label);
    else t.match([code, lastTarget()], [0, outcome.name], label);
  }
  for (const kind of shownKinds) {
    const questions = ['', '１２３.de', '1.2.3.4/24', '127.1', 'a\nb.com', '\u001b[2J\u202e.de', 'x'.repeat(10_000)];
    for (const written of shareOf(questions, kind)) {
      const { code, stdout, stderr } = await run(kind, written);
      const label = `${kind} ${JSON.stringify(written.slice(0, 30))}: ${stderr.slice(0, 100)}`;
      t.match({ code, stdout, stderr }, { code: 2, stdout: '', stderr: /^vantage: [\s\S]*argument: / }, label);
      t.notMatch(stderr, /[\u001b\u202e\r]/, label);
    }
  }
});
