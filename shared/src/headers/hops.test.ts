import t from 'tap';
import { failedResult } from '../probe-types/failed-result.js';
import type { ProbeResults, ProbeSpecs } from '../probe-types/index.js';
import { hopsOf } from './hops.js';

type HttpResult = ProbeResults['http'];

const spec = { target: 'http://a.example/', params: { timeout_ms: 1000 } } as ProbeSpecs['http'];
const refused = { code: 'target_not_allowed', message: '' } as const;
const failed = (more: Partial<HttpResult>): HttpResult => ({ ...failedResult('http', spec, refused), ...more });
const redirect = { url: 'http://a.example/', status_code: 302, ms: 5 };
const to = (location: string) => ({ header_lines: [{ name: 'location', value: location }] });

t.test('a redirect that may not be followed is the last hop, with the place it names', async (t) => {
  const seen = { redirects: [redirect], final_url: redirect.url, status_code: 302 };
  for (const [location, shown] of [
    ['/relative', 'http://a.example/relative'],
    ['file:///etc/passwd', 'file:///etc/passwd'],
    ['http://[no', 'http://[no'],
    [Buffer.from('/ü').toString('latin1'), 'http://a.example/%C3%BC'],
    ['/caf\xe9', 'http://a.example/caf%E9'],
  ] as const) {
    t.same(hopsOf(failed({ ...seen, ...to(location) })), [{ ...redirect, location: shown }], location);
  }
});

t.test('a redirect to a host that did not respond has the URL that was requested', async (t) => {
  const way = { redirects: [redirect], final_url: null, last_url: 'https://b.example/' };
  t.same(hopsOf(failed(way)), [{ ...redirect, location: 'https://b.example/' }]);
});

t.test('one redirect too many is a hop too, also in a loop', async (t) => {
  const redirects = Array.from({ length: 5 }, () => redirect);
  const looped = failed({
    redirects,
    final_url: redirect.url,
    status_code: 302,
    error: { code: 'too_many_redirects', message: '' },
    ...to(redirect.url),
  });
  t.same(
    hopsOf(looped),
    Array.from({ length: 6 }, (_, i) => ({ ...redirect, location: redirect.url, ms: i < 5 ? 5 : null })),
  );
});

t.test('a probe without any response has no hop', async (t) => {
  t.same(hopsOf(failed({ last_url: 'http://a.example/' })), []);
});
