import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { checkOrigins } from './origins.js';

t.test('origins are kept as browsers send them, each once', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['https://app.example.com', 'https://app.example.com'],
    ['HTTPS://App.Example.COM', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['http://app.example.com:80', 'http://app.example.com'],
    ['http://app.example.com:443', 'http://app.example.com:443'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ];
  for (const [text, origin] of cases) t.strictSame(checkOrigins([text]), { ok: true, value: [origin] }, text);
  const twice = checkOrigins(['https://b.example', 'https://A.example', 'https://a.example:443']);
  t.strictSame(twice, { ok: true, value: ['https://b.example', 'https://a.example'] });
  t.strictSame(checkOrigins([]), { ok: true, value: [] });
});

t.test('what is no origin is refused by its place in the list', async (t) => {
  for (const text of [
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com?a',
    'https://app.example.com#a',
    'https://ada@app.example.com',
    'https://*.example.com',
    'https://%61.example.com',
    'https://app.example.com\\x',
    ' https://app.example.com',
    'https://app.example.com\n',
    'https://app.example.com:99999',
    'https://',
    'https:app.example.com',
    'ftp://app.example.com',
    'chrome-extension://abc',
    'null',
    '*',
    '',
  ]) {
    const message = /^must be an origin/;
    t.match(
      checkOrigins(['https://app.example.com', text]),
      { ok: false, details: { 'allowed_origins.1': [{ code: 'format', message }] } },
      JSON.stringify(text),
    );
  }
  t.match(checkOrigins(['x', 'https://a.example', 'y']), {
    details: { 'allowed_origins.0': [{}], 'allowed_origins.1': undefined, 'allowed_origins.2': [{}] },
  });
});

t.test('an origin that was accepted once is accepted again, unchanged', async () => {
  fc.assert(
    fc.property(fc.webAuthority({ withPort: true }), fc.webAuthority({ withPort: true }), (one, other) => {
      const checked = checkOrigins([new URL(`http://${one}`).origin, `https://${other}`]);
      const again = checked.ok ? checkOrigins(checked.value) : checked;
      return checked.ok && again.ok && checked.value.join() === again.value.join();
    }),
    { numRuns: rounds(100) },
  );
});
