import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Server } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { tlsIdentity } from '../../../test/_support/certificates.js';
import { startSilentPort } from '../../../test/_support/deaf-server.js';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { http } from './index.js';

/** Members of a response that both versions have. */
interface Answer {
  writeHead(status: number, headers?: Record<string, string>): unknown;
  write(text: string): unknown;
  end(text: string): unknown;
}

type Handle = (request: { readonly url?: string | undefined }, answer: Answer) => void;

/** Time that passes on the clock while each phase is held, in milliseconds; no two sums of them are equal. */
const heldMs = { dns: 10, tcp: 250, tls: 20, ttfb: 70, download: 35 } as const;

/** A clock that shows how often the time was read: a phase that begins or ends reads it. */
class CountingClock extends FakeClock {
  reads = 0;

  override monotonicMs(): number {
    this.reads += 1;
    return super.monotonicMs();
  }
}

const secureServer = (handle: Handle): Server =>
  createSecureServer({ ...tlsIdentity('good'), allowHTTP1: true }, handle);
const cases = [
  { what: 'HTTP/1.1', scheme: 'http', version: '1.1', serve: (handle: Handle): Server => createServer(handle) },
  { what: 'HTTP/1.1 over TLS', scheme: 'https', version: '1.1', serve: secureServer },
  { what: 'HTTP/2 over TLS', scheme: 'https', version: '2', serve: secureServer },
] as const;

for (const { what, scheme, version, serve } of cases) {
  t.test(`http gives each phase of each hop the time that passed in it, by ${what}`, async (t) => {
    const clock = new CountingClock();
    let attempts = 0;
    const server = serve(async ({ url }, answer) => {
      clock.advance(heldMs.ttfb);
      // whatever else had a timer of that length: the next one is that of the next hop
      attempts = clock.begun(heldMs.tcp);
      const next = { '/': '/again', '/again': '/there' }[url ?? ''];
      const { reads } = clock;
      answer.writeHead(next === undefined ? 200 : 302, next === undefined ? {} : { location: next });
      if (next !== undefined) return answer.end('');
      answer.write('hel');
      await until('the first byte is there', () => clock.reads > reads);
      clock.advance(heldMs.download);
      answer.end('lo');
    });
    // by the next turn the client knows that it is connected, and has begun its handshake
    if (scheme === 'https') server.on('connection', () => setImmediate(() => clock.advance(heldMs.tls)));
    const port = await startSilentPort(t, '127.0.0.2');
    await once(server.listen(port, '127.0.0.1'), 'listening');
    t.teardown(() => server.close());
    const dns = await startDnsServer(t, ({ name, type }) => {
      if (type !== 'A') return {};
      clock.advance(heldMs.dns);
      return { answers: ['127.0.0.2', '127.0.0.1'].map((data) => ({ type: 'A', name, data })) };
    });
    const context = aContext({ clock, resolver: aResolver([dns.endpoint], { clock }) });
    const tlsMs = scheme === 'https' ? heldMs.tls : null;
    const probe = async (path: string, hops: number) => {
      const spec = aSpec('http', `${scheme}://site.example.com:${port}${path}`, { http_version: version });
      attempts = clock.begun(heldMs.tcp);
      const running = http.run(spec, context);
      for (let hop = 1; hop <= hops; hop += 1) {
        await until('the first address does not answer', () => clock.begun(heldMs.tcp) > attempts);
        attempts = Number.POSITIVE_INFINITY;
        clock.advance(heldMs.tcp);
      }
      return running;
    };

    const { dns: dnsMs, tcp, ttfb, download } = heldMs;
    const timing = { tcp_ms: tcp, tls_ms: tlsMs, ttfb_ms: ttfb, download_ms: download };
    const hopMs = tcp + (tlsMs ?? 0) + ttfb;
    t.match(await probe('/there', 1), {
      success: true,
      body: 'hello',
      timing: { dns_ms: dnsMs, ...timing },
      response_ms: dnsMs + hopMs + download,
    });
    t.match(await probe('/', 3), {
      success: true,
      redirects: [{ ms: dnsMs + hopMs }, { ms: hopMs }],
      timing: { dns_ms: 0, ...timing },
      response_ms: dnsMs + 3 * hopMs + download,
    });
    t.equal(clock.pendingTimers, 0);
  });
}
