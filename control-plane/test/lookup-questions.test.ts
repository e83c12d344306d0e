import t from 'tap';
import { type LookupKind, lookupOf, lookups } from '../src/modules/lookups/kinds/registry.js';
import { joinNode, startLookups } from './_support/lookup-world.js';
import { patientClock } from './_support/patient-clock.js';

t.setTimeout(240_000);
const world = await startLookups(t, [patientClock], { VANTAGE_ALLOW_TARGETS: '' });
const node = await joinNode(t, world, { isAnswering: true });
const [api] = world.apis;

const kinds = Object.keys(lookups) as LookupKind[];
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
        const isRefused = outcome === 422;
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
