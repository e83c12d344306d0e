import { writeFileSync } from 'node:fs';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import t from 'tap';
import { startAncientServer } from '../../../test/_support/ancient-server.js';
import { CertificateMaker, openssl } from '../../../test/_support/made-certificates.js';
import { startOpensslServer } from '../../../test/_support/openssl-server.js';
import { startShortDhFront } from '../../../test/_support/short-dh-server.js';
import { audit, serveCertificate } from '../../../test/_support/ssl-probe.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';

skipFileWithout('openssl');
const make = new CertificateMaker(temporaryDirectory(t));
const leaf = make.issue({ key: 'rsa:2048' });

const supportedBy = (result: Awaited<ReturnType<typeof audit>>) =>
  result.tls_versions.filter(({ supported }) => supported).map(({ version }) => version);

for (const [flag, version] of [
  ['-tls1', 'TLSv1'],
  ['-tls1_1', 'TLSv1.1'],
  ['-tls1_2', 'TLSv1.2'],
  ['-tls1_3', 'TLSv1.3'],
] as const) {
  t.test(`ssl finds that openssl s_server ${flag} speaks ${version} and nothing else`, async (t) => {
    const port = await startOpensslServer(t, [leaf, make.intermediate], flag, '-cipher', 'DEFAULT@SECLEVEL=0');
    const result = await audit(port, make.root);
    t.same(supportedBy(result), [version]);
    t.match(result, { success: true, protocol: version, valid: true });
    t.notOk(
      result.tls_versions.some(({ supported }) => supported === null),
      'nothing is left open',
    );
  });
}

t.test('ssl hears the staple of openssl s_server', async (t) => {
  const file = `${leaf.certFile}.ocsp`;
  writeFileSync(file, make.staple(leaf));
  const port = await startOpensslServer(t, [leaf, make.intermediate], '-status_file', file);
  t.match(await audit(port, make.root), { ocsp_status: 'good', ocsp_staple: { error: null } });
});

t.test('ssl finds ciphers without encryption or certificate at openssl s_server', async (t) => {
  const port = await startOpensslServer(
    t,
    [leaf, make.intermediate],
    '-tls1_2',
    '-cipher',
    'aNULL:eNULL:AES128-SHA:@SECLEVEL=0',
  );
  const result = await audit(port, make.root);
  t.same(result.weak_cipher_suites.length, 2);
  t.same(result.warnings.slice(0, 2), ['null_cipher', 'anonymous_cipher']);
  t.equal(result.grade, 'F');
});

t.test('ssl reports the size of Diffie-Hellman', async (t) => {
  const dhparam = openssl('dhparam', '-dsaparam', '1024');
  const wishes = { dhparam, maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0' } as const;
  const result = await audit(await serveCertificate(t, leaf, { chain: [make.intermediate], ...wishes }), make.root);
  t.match(result.tls_versions[3], { supported: true, key_exchange: 'DH 1024' });
  t.same(result.warnings, ['weak_key_exchange', 'no_tls13', 'no_sct']);
});

t.test('ssl finds short Diffie-Hellman behind curves that the server prefers', async (t) => {
  const dhparam = openssl('dhparam', '-dsaparam', '1024');
  const chain = [make.intermediate];
  const suites = 'ECDHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES128-GCM-SHA256';
  for (const [maxVersion, ciphers, dh, expected] of [
    ['TLSv1.2', `${suites}:@SECLEVEL=0`, dhparam, ['weak_key_exchange', 'no_tls13', 'no_sct']],
    ['TLSv1.3', `${suites}:@SECLEVEL=0`, dhparam, ['weak_key_exchange', 'no_sct']],
    ['TLSv1.3', suites, 'auto', ['no_sct']],
    ['TLSv1.3', 'ECDHE-RSA-AES128-GCM-SHA256', dhparam, ['no_sct']],
  ] as const) {
    const port = await serveCertificate(t, leaf, { chain, dhparam: dh, maxVersion, ciphers });
    const result = await audit(port, make.root);
    t.same(result.warnings, expected, `${maxVersion} ${ciphers}`);
    t.notMatch(result.tls_versions[3], { key_exchange: /DH \d/ }, 'the version negotiates a curve');
    const [{ message } = { message: '' }] = result.findings;
    if (expected.length > 1) t.equal(message, 'DHE alone: DH 1024');
  }
});

t.test('ssl finds a Diffie-Hellman key that OpenSSL refuses', async (t) => {
  const port = await serveCertificate(t, leaf, { chain: [make.intermediate] });
  const front = await startShortDhFront(t, { leaf, chain: [make.intermediate], port });
  const result = await audit(front.port, make.root);
  t.match(result, { success: true, grade: 'F', protocol: 'TLSv1.3' });
  t.match(result.tls_versions[3], { version: 'TLSv1.2', supported: true, key_exchange: 'DH below 1024', reason: null });
  t.same(result.warnings, ['insecure_key_exchange', 'no_sct']);
});

t.test('ssl finds versions and ciphers that OpenSSL no longer speaks', async (t) => {
  const [RC4_SHA, DES3_SHA, DES_SHA, EXPORT, AES] = [0x0005, 0x000a, 0x0009, 0x0003, 0x002f];
  for (const [name, versions, suiteIds, speaks, weak] of [
    ['SSL 3.0 with AES', [0x0300], [AES], ['SSLv3'], []],
    ['RC4 alone, up to TLS 1.0', [0x0300, 0x0301], [RC4_SHA], ['SSLv3', 'TLSv1'], ['RC4-SHA']],
    ['3DES and DES in TLS 1.2', [0x0303], [DES3_SHA, DES_SHA], ['TLSv1.2'], ['DES-CBC3-SHA', 'DES-CBC-SHA']],
    ['every kind', [0x0301], [RC4_SHA, EXPORT, DES3_SHA], ['TLSv1'], ['RC4-SHA', 'EXP-RC4-MD5', 'DES-CBC3-SHA']],
  ] as const) {
    const { port } = await startAncientServer(t, { versions, suiteIds });
    const result = await audit(port, make.root);
    t.same(supportedBy(result), speaks, name);
    t.same(result.weak_cipher_suites, weak, name);
    t.match(result, { success: false, error: { code: 'tls_handshake' }, grade: null }, `${name}: no certificate`);
  }
});
