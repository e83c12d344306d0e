import fc from 'fast-check';
import t from 'tap';
import { cspWeaknesses, limitsFrames, parseCsp } from './csp.js';

const weaknesses = (value: string) => cspWeaknesses(parseCsp(value)).sort();
const strict = "default-src 'none'; script-src 'self'; base-uri 'none'";

t.test('a policy counts by what it says, not by its presence', async (t) => {
  const cases: [string, string[]][] = [
    [strict, []],
    ["default-src 'self'; base-uri 'self'", []],
    [`${strict}; script-src *`, []],
    ["SCRIPT-SRC 'unsafe-inline'; object-src 'none'; base-uri 'none'", ['csp_unsafe_inline']],
    ["script-src 'unsafe-inline' 'nonce-abc='; object-src 'none'; base-uri 'none'", []],
    ["script-src 'unsafe-inline' 'sha256-abc='; object-src 'none'; base-uri 'none'", []],
    ["script-src 'unsafe-inline' 'strict-dynamic' https:; object-src 'none'; base-uri 'none'", []],
    ["script-src 'unsafe-inline' nonce-abc; object-src 'none'; base-uri 'none'", ['csp_unsafe_inline']],
    ["script-src 'self'; script-src-attr 'unsafe-inline'; object-src 'none'; base-uri 'none'", ['csp_unsafe_inline']],
    ["script-src https://*; object-src 'none'; base-uri 'none'", ['csp_wildcard']],
    ["script-src https://*.example.com; object-src 'none'; base-uri 'none'", []],
    ["script-src data:; object-src 'none'; base-uri 'none'", ['csp_wildcard']],
    ["script-src 'self'; object-src *; base-uri 'none'", ['csp_wildcard']],
    ["script-src 'self' 'unsafe-eval'; base-uri 'none'", ['csp_no_object_src', 'csp_unsafe_eval']],
    ["default-src 'self'", ['csp_no_base_uri']],
    [
      'upgrade-insecure-requests',
      [
        'csp_no_base_uri',
        'csp_no_object_src',
        'csp_no_script_src',
        'csp_unsafe_eval',
        'csp_unsafe_inline',
        'csp_wildcard',
      ],
    ],
    ['', []],
  ];
  for (const [value, expected] of cases) t.same(weaknesses(value), expected, value);
});

t.test('of a directive that is repeated the first counts, and the others are reported', async (t) => {
  const [policy] = parseCsp("script-src 'self'; img-src *; Script-Src *;; SCRIPT-SRC 'none'");
  t.same(policy?.directives.get('script-src'), ["'self'"]);
  t.same(policy?.duplicates, ['script-src', 'script-src']);
});

t.test('frames are limited by frame-ancestors unless it permits any host', async (t) => {
  t.equal(limitsFrames(parseCsp("frame-ancestors 'self'")), true);
  t.equal(limitsFrames(parseCsp('frame-ancestors')), true, 'an empty list is none');
  t.equal(limitsFrames(parseCsp('frame-ancestors https:')), false);
  t.equal(limitsFrames(parseCsp("default-src 'none'")), false, 'default-src is no fallback');
});

const source = fc.constantFrom(
  "'self'",
  "'none'",
  "'unsafe-inline'",
  "'unsafe-eval'",
  '*',
  'https:',
  "'nonce-YQ=='",
  'data:',
);
const directive = fc.tuple(
  fc.constantFrom('default-src', 'script-src', 'object-src', 'base-uri', 'img-src', 'script-src-elem'),
  fc.array(source, { maxLength: 3 }),
);
const policyText = fc
  .array(directive, { maxLength: 5 })
  .map((directives) => directives.map(([name, sources]) => [name, ...sources].join(' ')).join('; '));

t.test('a further policy never adds a weakness', async () => {
  fc.assert(
    fc.property(fc.array(policyText, { minLength: 1, maxLength: 3 }), policyText, (policies, further) => {
      const before = new Set(weaknesses(policies.join(', ')));
      if (parseCsp(policies.join(', ')).length === 0) return true;
      return weaknesses([...policies, further].join(', ')).every((weakness) => before.has(weakness as never));
    }),
  );
});

t.test('no text whatever makes the parser throw', async () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(weaknesses(text))));
});
