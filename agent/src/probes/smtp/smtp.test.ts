import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { type Leaf, testAuthority, tlsIdentity } from '../../../test/_support/certificates.js';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { smtpReply, startSmtpServer } from '../../../test/_support/smtp-server.js';
import { unusedPort } from '../../../test/_support/tcp-server.js';
import { ProbeFailure } from '../failure.js';
import { SmtpEngine, smtp } from './index.js';

const isResult = compileSchema(probeTypes.smtp.Result);
const trusting = new SmtpEngine({ trustedCertificates: [testAuthority] });

async function siteContext(t: Test) {
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  return aContext({ resolver: aResolver([dns.endpoint]) });
}

t.test('smtp greets, lists what the server can do, and takes its leave without any mail', async (t) => {
  const greeting = smtpReply(220, ['mail.example.com ESMTP', 'no spam \\ here']);
  const server = await startSmtpServer(t, { greeting });
  const result = await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
  t.match(result, {
    success: true,
    error: null,
    resolved_ip: '127.0.0.1',
    ip_version: 4,
    port: server.port,
    banner: 'mail.example.com ESMTP\nno spam \\\\ here',
    ehlo: ['mail.example.com', 'PIPELINING', 'SIZE 10240000', '8BITMIME'],
    starttls: { offered: false, asked: false, done: false },
    tls: null,
    timing: { dns_ms: 0, tls_ms: null },
  });
  for (const name of ['tcp_ms', 'banner_ms', 'ehlo_ms'] as const) t.type(result.timing[name], 'number', name);
  t.notOk('ehlo_before_tls' in result);
  t.ok(isResult(result).ok);
  t.strictSame(server.commands, ['EHLO vantage.example', 'QUIT'], 'the service is named, the machine is not');
  await until('the connection is closed', () => server.open === 0);
});

t.test('smtp names no machine without a control plane', async (t) => {
  const server = await startSmtpServer(t);
  await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext({ userAgent: 'vantage-agent/1' }));
  t.strictSame(server.commands, ['EHLO vantage-agent.invalid', 'QUIT']);
});

t.test('smtp goes on over TLS where it is offered, and asks again what the server can do', async (t) => {
  const server = await startSmtpServer(t, {
    tls: tlsIdentity('good', { withAuthority: true }),
    replies: { 'EHLO over TLS': smtpReply(250, ['mail.example.com', 'AUTH PLAIN']) },
  });
  const spec = aSpec('smtp', `site.example.com:${server.port}`, { verify_tls: true });
  const result = await trusting.run(spec, await siteContext(t));
  t.match(result, {
    success: true,
    ehlo: ['mail.example.com', 'AUTH PLAIN'],
    starttls: { offered: true, asked: true, done: true },
    tls: {
      protocol: 'TLSv1.3',
      authorized: true,
      authorization_error: null,
      chain: [{ subject: 'CN=site.example.com' }, { subject: 'CN=Vantage test CA' }],
    },
  });
  t.strictSame(result.ehlo_before_tls, ['mail.example.com', 'PIPELINING', 'SIZE 10240000', '8BITMIME', 'STARTTLS']);
  t.type(result.timing.tls_ms, 'number');
  t.ok(isResult(result).ok);
  t.strictSame(server.commands, ['EHLO vantage.example', 'STARTTLS', 'EHLO vantage.example', 'QUIT']);
  t.strictSame(server.serverNames, ['site.example.com'], 'the name is sent as SNI');
});

t.test('smtp gives each phase the time that passed in it', async (t) => {
  const clock = new FakeClock();
  const dns = await startDnsServer(t, ({ name, type }) => {
    if (type !== 'A') return {};
    clock.advance(10);
    return { answers: [{ type: 'A', name, data: '127.0.0.1' }] };
  });
  const heldMs: Readonly<Record<string, number>> = { greeting: 35, EHLO: 70, STARTTLS: 300, 'EHLO over TLS': 500 };
  const before = (what: string) => clock.advance(heldMs[what] ?? 0);
  const server = await startSmtpServer(t, {
    tls: { ...tlsIdentity('good'), SNICallback: (_name, answer) => answer(null, (clock.advance(20), undefined)) },
    before,
  });
  const spec = aSpec('smtp', `site.example.com:${server.port}`);
  const result = await trusting.run(spec, aContext({ clock, resolver: aResolver([dns.endpoint], { clock }) }));
  t.match(result, {
    success: true,
    starttls: { done: true },
    timing: { dns_ms: 10, tcp_ms: 0, banner_ms: 35, ehlo_ms: 70, tls_ms: 20 },
  });
  t.equal(clock.pendingTimers, 0);
});

t.test('smtp stays unencrypted on request, and fails if TLS is required and not offered', async (t) => {
  const offering = await startSmtpServer(t, { tls: tlsIdentity('good') });
  const clear = await smtp.run(aSpec('smtp', `127.0.0.1:${offering.port}`, { starttls: 'never' }), aContext());
  t.match(clear, { success: true, tls: null, starttls: { offered: true, asked: false, done: false } });

  const plain = await startSmtpServer(t);
  const required = await smtp.run(aSpec('smtp', `127.0.0.1:${plain.port}`, { starttls: 'require' }), aContext());
  t.match(required, {
    success: false,
    error: { code: 'tls_handshake' },
    ehlo: ['mail.example.com', 'PIPELINING', 'SIZE 10240000', '8BITMIME'],
    starttls: { offered: false, asked: false, done: false },
  });
  t.strictSame(plain.commands, ['EHLO vantage.example', 'QUIT']);
});

t.test('smtp speaks TLS from the first byte where the port is for that', async (t) => {
  const server = await startSmtpServer(t, { tls: tlsIdentity('good'), isImplicitTls: true });
  const engine = new SmtpEngine({ isImplicitTls: (port) => port === server.port });
  const result = await engine.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
  t.match(result, {
    success: true,
    banner: 'mail.example.com ESMTP ready',
    starttls: { offered: null, asked: false, done: false },
    tls: { protocol: 'TLSv1.3' },
  });
  t.strictSame(server.commands, ['EHLO vantage.example', 'QUIT']);
  const clear = await startSmtpServer(t);
  const mistaken = new SmtpEngine({ isImplicitTls: () => true });
  t.match(await mistaken.run(aSpec('smtp', `127.0.0.1:${clear.port}`), aContext()), {
    success: false,
    error: { code: 'tls_handshake' },
    banner: null,
  });
});

t.test('smtp records a bad certificate and fails only under verify_tls, after a polite end', async (t) => {
  const cases: { leaf: Leaf; reason: string; code: string }[] = [
    { leaf: 'expired', reason: 'CERT_HAS_EXPIRED', code: 'tls_expired' },
    { leaf: 'self-signed', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', code: 'tls_self_signed' },
    { leaf: 'wrong-name', reason: 'ERR_TLS_CERT_ALTNAME_INVALID', code: 'tls_name_mismatch' },
  ];
  const context = await siteContext(t);
  for (const { leaf, reason, code } of cases) {
    const server = await startSmtpServer(t, { tls: tlsIdentity(leaf) });
    const target = `site.example.com:${server.port}`;
    const recorded = await trusting.run(aSpec('smtp', target), context);
    t.match(recorded, { success: true, tls: { authorized: false, authorization_error: reason } }, leaf);
    const failed = await trusting.run(aSpec('smtp', target, { verify_tls: true }), context);
    t.match(failed, { success: false, error: { code }, tls: { authorization_error: reason } }, `${leaf} verified`);
    t.equal(failed.ehlo.length, 5, 'what was measured is kept');
    t.equal(server.commands.filter((line) => line === 'QUIT').length, 2);
  }
});

t.test('smtp keeps what was measured when the server turns it away', async (t) => {
  const cases = [
    {
      what: 'greeting 554',
      script: { greeting: '554 5.7.1 no service for you\r\n' },
      banner: '5.7.1 no service for you',
    },
    { what: 'greeting 421', script: { greeting: '421 too busy\r\n' }, banner: 'too busy' },
    { what: 'greeting 250', script: { greeting: '250 hello\r\n' }, banner: 'hello' },
    { what: 'EHLO 550', script: { replies: { EHLO: '550 go away\r\n' } }, banner: 'mail.example.com ESMTP ready' },
    { what: 'EHLO 451', script: { replies: { EHLO: '451 later\r\n' } }, banner: 'mail.example.com ESMTP ready' },
  ];
  for (const { what, script, banner } of cases) {
    const server = await startSmtpServer(t, script);
    const result = await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
    t.match(result, { success: false, error: { code: 'smtp_rejected' }, banner, ehlo: [] }, what);
    t.match(result.error?.message, /the reply to EHLO was (550 go away|451 later)|the greeting was \d+ \w/, what);
    t.type(result.timing.banner_ms, 'number', what);
    t.equal(result.timing.ehlo_ms === null, !what.startsWith('EHLO'), what);
    t.ok(isResult(result).ok);
    t.equal(server.commands.at(-1), 'QUIT', what);
  }
});

t.test('smtp says HELO to a server that knows no EHLO', async (t) => {
  for (const code of [500, 502]) {
    const server = await startSmtpServer(t, { replies: { EHLO: `${code} what?\r\n` } });
    const result = await smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext());
    t.match(result, { success: true, ehlo: [], starttls: { offered: false } });
    t.strictSame(server.commands, ['EHLO vantage.example', 'HELO vantage.example', 'QUIT']);
  }
  const sulking = await startSmtpServer(t, { replies: { EHLO: '500 what?\r\n', HELO: '504 no\r\n' } });
  const result = await smtp.run(aSpec('smtp', `127.0.0.1:${sulking.port}`), aContext());
  t.match(result, { success: false, error: { code: 'smtp_rejected', message: 'the reply to HELO was 504 no' } });
});

t.test('smtp fails where STARTTLS is offered and refused, or where the handshake fails', async (t) => {
  const refusing = await startSmtpServer(t, {
    tls: tlsIdentity('good'),
    replies: { STARTTLS: '454 4.7.0 TLS not available\r\n' },
  });
  const refused = await smtp.run(aSpec('smtp', `127.0.0.1:${refusing.port}`), aContext());
  t.match(refused, {
    success: false,
    error: { code: 'smtp_rejected', message: 'the reply to STARTTLS was 454 4.7.0 TLS not available' },
    starttls: { offered: true, asked: true, done: false },
    tls: null,
  });
  t.equal(refused.ehlo.length, 5);
  t.equal(refusing.commands.at(-1), 'QUIT');

  const { key } = tlsIdentity('good');
  const keyless = await startSmtpServer(t, { tls: { key } });
  const broken = await smtp.run(aSpec('smtp', `127.0.0.1:${keyless.port}`), aContext());
  t.match(broken, { success: false, starttls: { offered: true, asked: true, done: false }, tls: null });
  t.match(broken.error?.code, /^(tls_handshake|tcp_reset)$/);
});

t.test('smtp names the phase that failed', async (t) => {
  const closed = await smtp.run(aSpec('smtp', `127.0.0.1:${await unusedPort()}`), aContext());
  t.match(closed, { success: false, error: { code: 'tcp_refused' }, resolved_ip: '127.0.0.1', banner: null });
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'private.example.com', data: '10.0.0.1' }]));
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  t.match(await smtp.run(aSpec('smtp', 'none.example.com'), context), { error: { code: 'dns_nxdomain' }, port: 25 });
  t.match(await smtp.run(aSpec('smtp', 'private.example.com'), context), { error: { code: 'target_not_allowed' } });
});

t.test('smtp waits a second for the answer to QUIT, then the measurement stands', async (t) => {
  const clock = new FakeClock();
  const server = await startSmtpServer(t, { replies: { QUIT: null } });
  const running = smtp.run(aSpec('smtp', `127.0.0.1:${server.port}`), aContext({ clock }));
  await until('it has said QUIT', () => server.commands.includes('QUIT'));
  clock.advance(1000);
  t.match(await running, { success: true, error: null });
  t.equal(clock.pendingTimers, 0);
  await until('the connection is closed', () => server.open === 0);
});

t.test('smtp has one deadline over everything, and ends at once when it is cancelled', async (t) => {
  const mute = await startSmtpServer(t, { replies: { EHLO: null } });
  const before = openSockets();
  const clock = new FakeClock();
  const running = smtp.run(aSpec('smtp', `127.0.0.1:${mute.port}`, { timeout_ms: 4000 }), aContext({ clock }));
  await until('it waits for EHLO', () => mute.commands.length === 1);
  clock.advance(4000);
  const late = await running;
  t.match(late, { success: false, error: { code: 'timeout' }, banner: 'mail.example.com ESMTP ready', ehlo: [] });
  t.type(late.timing.banner_ms, 'number');

  const abort = new AbortController();
  const cancelled = smtp.run(aSpec('smtp', `127.0.0.1:${mute.port}`), aContext({ signal: abort.signal }));
  await until('it waits for EHLO', () => mute.commands.length === 2);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  t.match(await cancelled, { success: false, error: { code: 'cancelled' }, banner: /ready/ });
  await until('no socket is left', () => openSockets() <= before);
});
