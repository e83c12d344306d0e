import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { until } from '@vantage/shared/_support/until.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t, { type Test } from 'tap';
import { parseConfig } from '../src/config.js';
import { isTlsPin, tlsPinOf } from '../src/identity/tls-pins.js';
import { runCommand } from './_support/cli.js';
import { startAgent } from './_support/enrolled-agent.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { CertificateMaker, type MadeCertificate, openssl } from './_support/made-certificates.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

skipFileWithout('openssl');

const pinOf = ({ cert }: MadeCertificate) => tlsPinOf(new X509Certificate(cert));

/** A control plane behind TLS, whose certificate a test may change. */
async function aSecureControlPlane(t: Test) {
  const maker = new CertificateMaker(temporaryDirectory(t));
  const certificates = [0, 1, 2].map(() => maker.issue({}, maker.root)) as [
    MadeCertificate,
    MadeCertificate,
    MadeCertificate,
  ];
  const controlPlane = await FakeControlPlane.start(t);
  const upstream = Number(new URL(controlPlane.url).port);
  const sockets = new Set<TLSSocket>();
  const { cert, key } = certificates[0];
  const server = createServer({ cert, key, ALPNProtocols: ['http/1.1'] }, (socket) => {
    sockets.add(socket);
    const inner = connect(upstream, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    for (const end of [socket, inner])
      end.on('error', () => {}).on('close', () => [socket, inner].map((s) => s.destroy()));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  controlPlane.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const show = (certificate: MadeCertificate) =>
    server.setSecureContext({ cert: certificate.cert, key: certificate.key });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { controlPlane, certificates, show, cut, env: { NODE_EXTRA_CA_CERTS: maker.root.certFile } };
}

function enrollArgs(url: string, stateDir: string, pins: readonly string[]): string[] {
  const { token } = makeToken(tokenPrefixes.enrollment);
  const words = pins.flatMap((pin) => ['--tls-pin', pin]);
  return ['enroll', '--url', url, '--token', token, '--state-dir', stateDir, ...words];
}

function linkOf(stateDir: string) {
  try {
    return JSON.parse(readFileSync(join(stateDir, 'status.json'), 'utf8')).link;
  } catch {
    return null;
  }
}

t.test('a pin is what openssl makes of a key; anything else is refused by name', async (t) => {
  const maker = new CertificateMaker(temporaryDirectory(t));
  const text = openssl('x509', '-in', maker.root.certFile, '-noout', '-pubkey');
  const der = Buffer.from(text.replace(/-----.*-----|\s/g, ''), 'base64');
  const { createHash } = await import('node:crypto');
  const pin = createHash('sha256').update(der).digest('base64');
  t.equal(pinOf(maker.root), pin);
  t.ok(isTlsPin(pin));
  t.same(parseConfig({ VANTAGE_AGENT_TLS_PINS: ` ${pin}, ${pin} ` }).tlsPins, [pin, pin]);
  for (const wrong of ['', `sha256//${pin}`, pin.slice(1), `${pin.slice(0, -2)}1=`]) t.notOk(isTlsPin(wrong), wrong);
  t.throws(() => parseConfig({ VANTAGE_AGENT_TLS_PINS: 'abc' }), /VANTAGE_AGENT_TLS_PINS: "abc" is not/);
});

t.test(
  'a node accepts only pinned TLS keys of its control plane, through a change of key, and reports any other key',
  async (t) => {
    const { controlPlane, certificates, show, cut, env } = await aSecureControlPlane(t);
    const [now, next, foreign] = certificates;
    const stateDir = join(temporaryDirectory(t), 'state');
    const refused = await runCommand(t, enrollArgs(controlPlane.url, stateDir, [pinOf(next)]), { env });
    t.match(refused, { code: 1, stdout: '' });
    t.ok(refused.stderr.includes(`a TLS key that is not pinned, "${pinOf(now)}"`), refused.stderr);
    t.equal(controlPlane.enrollments.length, 0, 'the token was not shown to it');
    const untrusted = await runCommand(t, enrollArgs(controlPlane.url, stateDir, [pinOf(now)]));
    t.match(untrusted, { code: 1, stderr: /is not trusted/ }, 'besides the usual verification, not instead');

    const pins = [pinOf(now), pinOf(next)];
    t.match(await runCommand(t, enrollArgs(controlPlane.url, stateDir, pins), { env }), { code: 0 });
    const agent = startAgent(t, stateDir, { env });
    await controlPlane.nextOpenPeer();
    show(next);
    cut();
    await controlPlane.nextOpenPeer();
    show(foreign);
    cut();
    let link: ReturnType<typeof linkOf> = null;
    await until('the agent to notice', () => {
      link = linkOf(stateDir);
      return link?.last_end?.reason === 'wrong_server';
    });
    t.match(link, { state: /waiting|connecting/, last_end: { message: /not pinned/ } });
    await until('the log to say so', () => /its TLS key is not pinned: do not trust it/.test(agent.output.stderr));
    // the doctor gives every check a few seconds
    const doctor = (finds: RegExp, pins = {}) =>
      untilRight(
        () => runCommand(t, ['doctor', '--json', '--state-dir', stateDir], { env: { ...env, ...pins } }),
        ({ stdout }) => finds.test(stdout),
      );
    const ill = await doctor(/not pinned/);
    const check = JSON.parse(ill.stdout).checks.find(({ name }: { name: string }) => name.startsWith('control plane'));
    t.match(check, { status: 'failed', detail: /not pinned/, remedy: /confirm its key with its operator/ });
    const cured = await doctor(/"detail": "answers"/, { VANTAGE_AGENT_TLS_PINS: pinOf(foreign) });
    t.match(cured.stdout, /"detail": "answers"/, 'the setting counts before what enrollment left');
  },
);

t.test('a pin holds through a proxy as well, and where TLS is missing', async (t) => {
  const { controlPlane, certificates, env } = await aSecureControlPlane(t);
  const [now, , foreign] = certificates;
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket, head) => {
    const upstream = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => upstream.write(head));
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(upstream).pipe(socket);
    for (const end of [socket, upstream])
      end.on('error', () => {}).on('close', () => [socket, upstream].map((s) => s.destroy()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const through = { ...env, VANTAGE_AGENT_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const stateDir = join(temporaryDirectory(t), 'state');
  const wrong = await runCommand(t, enrollArgs(controlPlane.url, stateDir, [pinOf(foreign)]), { env: through });
  t.match(wrong, { code: 1, stderr: /a TLS key that is not pinned/ });
  const plain = await runCommand(t, enrollArgs('http://127.0.0.1:9', stateDir, [pinOf(now)]), { env });
  t.match(plain, { code: 2, stderr: /without TLS, but its key is pinned/ });
  const garbled = await runCommand(t, enrollArgs(controlPlane.url, stateDir, ['abc']), { env });
  t.match(garbled, { code: 2, stderr: /"abc" is not the base64 of a SHA-256/ });
  t.match(await runCommand(t, enrollArgs(controlPlane.url, stateDir, [pinOf(now)]), { env: through }), { code: 0 });
  const misled = startAgent(t, stateDir, { env: { ...through, VANTAGE_AGENT_TLS_PINS: pinOf(foreign) } });
  await until('the agent to notice', () => linkOf(stateDir)?.last_end?.reason === 'wrong_server');
  misled.process.kill('SIGTERM');
  await misled.ended;
  startAgent(t, stateDir, { env: through });
  await controlPlane.nextOpenPeer();
});
