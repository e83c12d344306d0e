import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { monitorTypes } from '@vantage/shared/monitor-types/index.js';
import type { ClientCertificate } from '@vantage/shared/probe-types/client-certificate.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { CertificateMaker, type MadeCertificate } from '../../../test/_support/made-certificates.js';
import { aContext } from '../../../test/_support/probe-context.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';
import { HttpEngine } from './index.js';

skipFileWithout('openssl');
const maker = new CertificateMaker(temporaryDirectory(t));
const engine = new HttpEngine({ trustedCertificates: [maker.root.cert] });
const forClients = ['extendedKeyUsage=clientAuth'];
const ada = maker.issue({ subject: '/CN=ada', extensions: forClients });
const eve = maker.issue({ subject: '/CN=eve', extensions: forClients }, null);

const shown = ({ cert, key }: MadeCertificate): ClientCertificate => ({
  certificate: cert + maker.intermediate.cert,
  private_key: key,
});

/** Settings as they are made: valid, or what is wrong with them. */
function settings(client_certificate: unknown, more: object = {}) {
  const { Config, checkConfig } = monitorTypes.https;
  const checked = compileSchema(Config)({ client_certificate, ...more });
  if (!checked.ok) return { config: null, errors: checked.details };
  return { config: checked.value, errors: checkConfig(checked.value) };
}

/** A server that lets clients in whose certificate the test's root vouches for, and greets them by name. */
async function startServer(t: Test, wishes: TlsOptions = {}, location?: string) {
  const { cert, key } = maker.issue();
  const options = { cert: cert + maker.intermediate.cert, key, ca: maker.root.cert, requestCert: true };
  const seen: (string | undefined)[] = [];
  const server = createServer({ ...options, ...wishes }, (request, response) => {
    seen.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN as string | undefined);
    if (location !== undefined) response.writeHead(302, { location });
    response.end(`hello ${seen.at(-1)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

async function check(url: string, certificate: ClientCertificate | null, more: object = {}) {
  const { config } = settings(certificate ?? undefined, more);
  if (config === null) throw new Error('settings of the test');
  const result = await engine.run(monitorTypes.https.toSpec(url, config), aContext());
  return { result, judgment: monitorTypes.https.judge(result, config, Date.now()) };
}

t.test('a monitor shows its client certificate to a server that demands one', async (t) => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const server = await startServer(t, { maxVersion });
    const { result, judgment } = await check(server.url, shown(ada));
    t.match(result, { success: true, body: 'hello ada', tls: { authorized: true } }, maxVersion);
    t.equal(judgment.outcome, 'ok');
    for (const certificate of [null, shown(eve)]) {
      const refused = await check(server.url, certificate);
      t.match(refused.judgment, { outcome: 'failed', error: { code: /^(tls_handshake|tcp_reset|http_protocol)$/ } });
      t.notMatch(JSON.stringify(refused.result), /PRIVATE KEY/);
    }
    t.strictSame(server.seen, ['ada']);
  }
});

t.test('a client certificate is not shown to another origin that the target redirects to', async (t) => {
  const other = await startServer(t, { rejectUnauthorized: false });
  const target = await startServer(t, {}, other.url);
  const { result } = await check(target.url, shown(ada));
  t.match(result, { success: true, body: 'hello undefined' });
  t.strictSame([target.seen, other.seen], [['ada'], [undefined]]);
});

t.test('a client certificate that is of no use is refused when the monitor is made, by field', async (t) => {
  const { certificate, private_key } = shown(ada);
  t.strictSame(settings(shown(ada)).errors, {});
  const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n';
  const garbled = certificate.replace(/\n[^-\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA');
  const cases: [string, unknown, string, string][] = [
    ['no certificate', { certificate: 'hello', private_key }, 'certificate', 'format'],
    ['a garbled one', { certificate: garbled, private_key }, 'certificate', 'format'],
    ['a chain without end', { certificate: certificate.repeat(5), private_key }, 'certificate', 'format'],
    ['the key beside it', { certificate: certificate + private_key, private_key }, 'certificate', 'format'],
    ['no key', { certificate, private_key: certificate }, 'private_key', 'format'],
    ['an encrypted key', { certificate, private_key: encrypted }, 'private_key', 'format'],
    ['the key of another', { certificate, private_key: eve.key }, 'private_key', 'conflict'],
    ['one half', { certificate }, 'private_key', 'required'],
  ];
  for (const [what, given, field, code] of cases) {
    const { errors } = settings(given);
    t.match(errors, { [`client_certificate.${field}`]: [{ code }] }, what);
    t.notMatch(JSON.stringify(errors), private_key.split('\n')[1] ?? '', 'and is not repeated');
  }
});
