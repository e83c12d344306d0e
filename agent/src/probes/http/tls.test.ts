import { X509Certificate } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { missing } from '@vantage/shared/_support/missing.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { relay } from '../../../test/_support/ancient-server.js';
import { type Leaf, startTlsServer, testAuthority, tlsIdentity } from '../../../test/_support/certificates.js';
import { startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { CertificateMaker } from '../../../test/_support/made-certificates.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';
import { HttpEngine, http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);
const trusting = new HttpEngine({ trustedCertificates: [testAuthority] });

async function startHttpsServer(t: Test, options: TlsOptions): Promise<{ port: number; names: unknown[] }> {
  const names: unknown[] = [];
  const server = createHttpsServer(options, (request, response) => response.end(`over ${request.headers.host}`));
  server.on('secureConnection', (socket) => names.push(socket.servername));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, names };
}

async function siteContext(t: Test) {
  const dns = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  return aContext({ resolver: aResolver([dns.endpoint]) });
}

t.test('http records a good certificate, the chain and what was negotiated', async (t) => {
  const server = await startHttpsServer(t, tlsIdentity('good', { withAuthority: true }));
  const url = `https://site.example.com:${server.port}/`;
  const result = await trusting.run(aSpec('http', url, { verify_tls: true }), await siteContext(t));
  t.match(result, {
    success: true,
    status_code: 200,
    body: `over site.example.com:${server.port}`,
    tls: {
      protocol: 'TLSv1.3',
      version: '1.3',
      authorized: true,
      authorization_error: null,
      not_after: '2120-01-01T00:00:00.000Z',
      chain: [
        { subject: 'CN=site.example.com', issuer: 'CN=Vantage test CA', not_before: '2020-01-01T00:00:00.000Z' },
        { subject: 'CN=Vantage test CA', issuer: 'CN=Vantage test CA' },
      ],
    },
  });
  t.equal(result.tls?.chain.length, 2);
  t.match(result.tls?.cipher, /^TLS_AES/);
  t.match(result.tls?.chain[0]?.fingerprint_sha256, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  t.type(result.timing.tls_ms, 'number');
  t.ok(isResult(result).ok);
  t.strictSame(server.names, ['site.example.com'], 'the name is sent as SNI');
});

t.test('http sends no SNI for an address, and compares the certificate with it', async (t) => {
  const server = await startHttpsServer(t, tlsIdentity('good'));
  const result = await trusting.run(
    aSpec('http', `https://127.0.0.1:${server.port}/`, { verify_tls: true }),
    aContext(),
  );
  t.match(result, { success: true, tls: { authorized: true } });
  t.strictSame(server.names, [false]);
});

t.test('http records a bad certificate and fails only under verify_tls, timings kept', async (t) => {
  const cases: { leaf: Leaf; reason: string; code: string }[] = [
    { leaf: 'expired', reason: 'CERT_HAS_EXPIRED', code: 'tls_expired' },
    { leaf: 'future', reason: 'CERT_NOT_YET_VALID', code: 'tls_expired' },
    { leaf: 'self-signed', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', code: 'tls_self_signed' },
    { leaf: 'wrong-name', reason: 'ERR_TLS_CERT_ALTNAME_INVALID', code: 'tls_name_mismatch' },
  ];
  const context = await siteContext(t);
  for (const { leaf, reason, code } of cases) {
    const server = await startHttpsServer(t, tlsIdentity(leaf));
    const url = `https://site.example.com:${server.port}/`;
    const recorded = await trusting.run(aSpec('http', url), context);
    t.match(
      recorded,
      { success: true, status_code: 200, tls: { authorized: false, authorization_error: reason } },
      leaf,
    );
    const failed = await trusting.run(aSpec('http', url, { verify_tls: true }), context);
    t.match(
      failed,
      { success: false, error: { code }, status_code: null, tls: { authorization_error: reason } },
      `${leaf} verified`,
    );
    t.type(failed.timing.tcp_ms, 'number');
    t.type(failed.timing.tls_ms, 'number');
    t.ok(isResult(failed).ok);
  }
});

t.test('http does not trust an authority that is not public', async (t) => {
  const server = await startHttpsServer(t, tlsIdentity('good', { withAuthority: true }));
  const url = `https://site.example.com:${server.port}/`;
  const result = await http.run(aSpec('http', url, { verify_tls: true }), await siteContext(t));
  t.match(result, {
    success: false,
    error: { code: 'tls_self_signed' },
    tls: { authorization_error: 'SELF_SIGNED_CERT_IN_CHAIN' },
  });
});

t.test('http speaks TLS 1.0 with servers that know nothing better', async (t) => {
  const server = await startHttpsServer(t, {
    ...tlsIdentity('good'),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  const result = await http.run(aSpec('http', `https://127.0.0.1:${server.port}/`), aContext());
  t.match(result, { success: true, status_code: 200, tls: { protocol: 'TLSv1', version: '1.0' } });
});

t.test('http records at most 16 certificates of a chain', async (t) => {
  const { key, cert } = tlsIdentity('good');
  const server = await startHttpsServer(t, { key, cert: cert + testAuthority.repeat(30) });
  const result = await http.run(aSpec('http', `https://127.0.0.1:${server.port}/`), aContext());
  t.match(result, { success: true });
  t.equal(result.tls?.chain.length, 16);
});

t.test('http records at most 64 KiB of a chain', { skip: missing('openssl') }, async (t) => {
  const large = new CertificateMaker(temporaryDirectory(t)).issue({
    extensions: [`1.2.3.4=ASN1:UTF8String:${'x'.repeat(10_000)}`],
  }).cert;
  const { key, cert } = tlsIdentity('good');
  const bytes = (pem: string) => new X509Certificate(pem).raw.length;
  const whole = Math.floor((64 * 1024 - bytes(cert)) / bytes(large));
  const server = await startHttpsServer(t, { key, cert: cert + large.repeat(whole + 2) });
  const result = await http.run(aSpec('http', `https://127.0.0.1:${server.port}/`), aContext());
  t.match(result, { success: true });
  t.equal(result.tls?.chain.length, 1 + whole);
});

t.test('http distinguishes a failed handshake from a failed connection', async (t) => {
  const cases = [
    { what: 'a server that speaks no TLS', code: 'tls_handshake', serve: (await plain(t)).port },
    {
      what: 'a server that closes',
      code: 'tls_handshake',
      serve: (await startTcpServer(t, (socket) => socket.end())).port,
    },
    { what: 'a server that resets', code: 'tcp_reset', serve: (await resetting(t)).port },
    {
      what: 'a server that wants a certificate of ours',
      code: 'tls_handshake',
      serve: (
        await startTlsServer(t, { ...tlsIdentity('good'), requestCert: true, rejectUnauthorized: true }, () => {})
      ).port,
    },
  ];
  for (const { what, code, serve } of cases) {
    const result = await http.run(aSpec('http', `https://127.0.0.1:${serve}/`), aContext());
    t.match(result, { success: false, error: { code }, status_code: null }, what);
    t.type(result.timing.tcp_ms, 'number', `${what}: the connect is kept`);
    t.ok(isResult(result).ok);
  }
});

function plain(t: Test) {
  return startTcpServer(t, (socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')));
}

function resetting(t: Test) {
  return startTcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy()));
}

t.test('a port that speaks the other protocol is said to, with the address to use', async (t) => {
  const https = await startHttpsServer(t, tlsIdentity('good'));
  // as nginx and Go have it
  const polite = await startTcpServer(t, (socket) => {
    socket.once('data', (data: Buffer) => {
      if (data[0] === 0x16) relay(socket, data, https.port);
      else socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
    });
  });
  for (const { port } of [https, polite]) {
    const result = await http.run(aSpec('http', `http://127.0.0.1:${port}/?key=k3y`), aContext());
    const message = `this port speaks TLS: use https://127.0.0.1:${port}`;
    t.match(result, { success: false, error: { code: 'http_protocol', message } });
  }
  const plain = createHttpServer((_request, response) => {
    response.statusCode = 400;
    response.end();
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  t.teardown(() => plain.close());
  const { port } = plain.address() as AddressInfo;
  t.match(await http.run(aSpec('http', `https://127.0.0.1:${port}/`), aContext()), {
    error: { code: 'tls_handshake', message: `this port does not speak TLS: use http://127.0.0.1:${port}` },
  });
  t.match(await http.run(aSpec('http', `http://127.0.0.1:${port}/`), aContext()), { success: true, status_code: 400 });
});
