import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { verdictOf } from './_support/verdict.js';
import { checkRequestHeaders } from './headers.js';

t.test('ordinary headers pass', async (t) => {
  const headers = {
    Accept: '*/*',
    'X-Api-Key': 'a b~',
    Authorization: 'Bearer x',
    Cookie: 'a=b',
    'X-Latin': 'caf\u00e9 \u00ff',
    "!#$%&'*+.^_`|~0-a": '',
    'Accept-Encoding': 'br',
    'User-Agent': 'x',
  };
  t.equal(
    verdictOf(() => checkRequestHeaders(headers)),
    'allowed',
  );
  t.equal(
    verdictOf(() => checkRequestHeaders({})),
    'allowed',
  );
});

t.test('Host, framing and hop-by-hop headers may not be set, in any case', async (t) => {
  const names = [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authorization',
    'Proxy-Authenticate',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'HTTP2-Settings',
  ];
  for (const name of names) {
    for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
      t.equal(
        verdictOf(() => checkRequestHeaders({ [spelled]: 'x' })),
        `refused params.headers.${spelled}`,
      );
    }
  }
});

t.test('names are tokens', async (t) => {
  for (const name of [
    '',
    ' ',
    'a b',
    'a:',
    'a\r\nb',
    'a\0',
    'é',
    'Host ',
    ' Host',
    'a,b',
    'a/b',
    'a(b)',
    'Transfer-Encoding\t',
    'Kelvin\u212A',
  ]) {
    t.equal(
      verdictOf(() => checkRequestHeaders({ [name]: 'x' })),
      `malformed params.headers.${name}`,
      JSON.stringify(name),
    );
  }
});

t.test('a header is given once, whatever its case', async (t) => {
  t.equal(
    verdictOf(() => checkRequestHeaders({ 'X-A': '1', 'x-a': '2' })),
    'malformed params.headers.x-a',
  );
});

t.test('a value has no control character and nothing beyond Latin-1', async (t) => {
  const text = fc.string({
    unit: fc.integer({ min: 0, max: 0x17f }).map((code) => String.fromCodePoint(code)),
    maxLength: 6,
  });
  fc.assert(
    fc.property(text, (value) => {
      const isPlain = [...value].every((character) => {
        const code = character.codePointAt(0) ?? 0;
        return code <= 0xff && code >= 0x20 && (code < 0x7f || code > 0x9f);
      });
      return (verdictOf(() => checkRequestHeaders({ 'X-A': value })) === 'allowed') === isPlain;
    }),
    { numRuns: rounds(3000) },
  );
  const refused = [
    'a\rb',
    'a\nb',
    'a\r\nHost: b',
    'a\0',
    'a\tb',
    'a\u007f',
    'a\u0085',
    '\u0100',
    '\u2028',
    '💩',
    '\ud800',
    'a\n',
  ];
  for (const [i, value] of refused.entries()) {
    t.equal(
      verdictOf(() => checkRequestHeaders({ 'X-A': value })),
      'malformed params.headers.X-A',
      `value ${i}`,
    );
  }
});

t.test('every header is looked at, also one named __proto__, and no value is shown', async (t) => {
  const headers = JSON.parse('{"__proto__": "hunter2\\n"}') as Record<string, string>;
  t.equal(
    verdictOf(() => checkRequestHeaders(headers)),
    'malformed params.headers.__proto__',
  );
  try {
    checkRequestHeaders(headers);
  } catch (error) {
    t.notMatch(String(error), 'hunter2');
  }
  t.equal(
    verdictOf(() => checkRequestHeaders({ 'X-A': 'fine', 'X-B': 'bad\n' })),
    'malformed params.headers.X-B',
  );
});
