import { X509Certificate } from 'node:crypto';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { systemClock } from '@vantage/shared/clock.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { testAuthority, tlsIdentity } from '../../../test/_support/certificates.js';
import { CertificateMaker, openssl } from '../../../test/_support/made-certificates.js';
import { audit, type ServerWishes, serveCertificate } from '../../../test/_support/ssl-probe.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';
import { Roots } from '../../net/tls/roots.js';
import { followPath } from './certificate/path.js';
import { readSentCertificate } from './certificate/sent-certificate.js';
import { judgeValidity } from './findings/validity.js';

skipFileWithout('openssl');
const make = new CertificateMaker(temporaryDirectory(t));
const { root, intermediate } = make;
const good = make.issue();
const sctList = '1.3.6.1.4.1.11129.2.4.2=DER:04:0E:00:0C:00:04:01:02:03:04:00:04:05:06:07:08';
const forSite = ['subjectAltName=DNS:site.example.com'];

const DAY_MS = 86_400_000;
const runFields = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, disturbed: false, loop_lag_ms: 0 };

t.test('ssl audits a server as openssl sees it', async (t) => {
  const leaf = make.issue({ extensions: [...forSite, sctList] });
  const port = await serveCertificate(t, leaf, { chain: [intermediate], staple: make.staple(leaf) });
  const result = await audit(port, root);
  t.match(result, {
    success: true,
    error: null,
    grade: 'A+',
    grade_ignoring_trust: 'A+',
    domain: 'site.example.com',
    resolved_ip: '127.0.0.1',
    port,
    valid: true,
    days_until_expiry: 59,
    san_domains: ['site.example.com'],
    protocol: 'TLSv1.3',
    ocsp_status: 'good',
    sct_count: 2,
    warnings: [],
    weak_cipher_suites: [],
  });
  t.same(
    result.tls_versions.map(({ version, supported }) => [version, supported]),
    [
      ['SSLv3', false],
      ['TLSv1', false],
      ['TLSv1.1', false],
      ['TLSv1.2', true],
      ['TLSv1.3', true],
    ],
  );
  t.equal(result.chain.length, 2);
  const checked = compileSchema(agentResultSchema('ssl'))({ ...result, ...runFields });
  t.strictSame(checked.ok ? {} : checked.details, {}, 'the result is of its schema');
});

t.test('ssl reports for each certificate what openssl x509 prints', async (t) => {
  const made = ['ec:secp384r1', 'rsa:2048', 'ed25519'].map((key) => make.issue({ key, digest: 'sha384' }));
  for (const leaf of made) {
    const port = await serveCertificate(t, leaf, { chain: [intermediate] });
    const [report] = (await audit(port, root)).chain;
    const text = openssl('x509', '-in', leaf.certFile, '-noout', '-text', '-serial', '-fingerprint', '-sha256');
    const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
    t.equal(report?.signature_algorithm, find(/Signature Algorithm: (\S+)/));
    t.equal(report?.public_key_bits, Number(find(/Public-Key: \((\d+) bit\)/) || 256), 'bits');
    t.equal(report?.serial_number, find(/^serial=(.+)$/m).replace(/^0(?=\w{2}$)/, '0'));
    t.equal(report?.fingerprint_sha256, find(/Fingerprint=(.+)$/m));
    t.equal(Date.parse(report?.not_after ?? ''), Date.parse(find(/Not After : (.+)$/m)));
    t.equal(report?.is_ca, false);
  }
});

interface Case {
  readonly name: string;
  readonly warnings: readonly string[];
  readonly grade: string;
  readonly leaf?: Parameters<CertificateMaker['issue']>[0];
  readonly server?: ServerWishes;
  /** The authority between root and certificate. */
  readonly authority?: Parameters<CertificateMaker['issue']>[0];
}

/** Every finding about one certificate or its chain, and the grade it leaves. */
const cases: readonly Case[] = [
  { name: 'nothing but no timestamps', warnings: ['no_sct'], grade: 'A' },
  {
    name: 'other names',
    leaf: { extensions: ['subjectAltName=DNS:other.example.com'] },
    warnings: ['name_mismatch', 'no_sct'],
    grade: 'M',
  },
  {
    name: 'the common name alone',
    leaf: { extensions: ['basicConstraints=CA:false'] },
    warnings: ['name_mismatch', 'no_sct'],
    grade: 'M',
  },
  {
    name: 'the issuer left out',
    server: { chain: [] },
    warnings: ['untrusted', 'incomplete_chain', 'no_sct'],
    grade: 'T',
  },
  { name: 'the root sent', server: { chain: [intermediate, root] }, warnings: ['no_sct', 'root_sent'], grade: 'A' },
  {
    name: 'the wrong order',
    server: { chain: [root, intermediate] },
    warnings: ['wrong_order', 'no_sct', 'root_sent'],
    grade: 'A',
  },
  {
    name: 'a certificate twice',
    server: { chain: [intermediate, intermediate] },
    warnings: ['no_sct', 'unneeded_certificate'],
    grade: 'A',
  },
  {
    name: 'a stranger in the chain',
    server: { chain: [make.issue(), intermediate] },
    warnings: ['no_sct', 'unneeded_certificate'],
    grade: 'A',
  },
  { name: 'RSA of 1024 bits', leaf: { key: 'rsa:1024' }, warnings: ['weak_key', 'no_sct'], grade: 'D' },
  { name: 'RSA of 768 bits', leaf: { key: 'rsa:768' }, warnings: ['insecure_key', 'no_sct'], grade: 'F' },
  {
    name: 'an authority with a curve of 224 bits',
    authority: { key: 'ec:secp224r1' },
    warnings: ['weak_key', 'no_sct'],
    grade: 'D',
  },
  { name: 'SHA-1', leaf: { digest: 'sha1' }, warnings: ['sha1_signature', 'no_sct'], grade: 'F' },
  {
    name: 'MD5',
    leaf: { digest: 'md5' },
    authority: { key: 'rsa:2048' },
    warnings: ['md5_signature', 'no_sct'],
    grade: 'F',
  },
  { name: 'ten days left', leaf: { days: 10 }, warnings: ['no_sct', 'expires_soon'], grade: 'A' },
  { name: 'valid for 500 days', leaf: { days: 500 }, warnings: ['validity_too_long', 'no_sct'], grade: 'B' },
  {
    name: 'must staple, and no staple',
    leaf: { extensions: [...forSite, 'tlsfeature=status_request'] },
    warnings: ['must_staple_missing', 'no_sct'],
    grade: 'B',
  },
  { name: 'TLS 1.2 at most', server: { maxVersion: 'TLSv1.2' }, warnings: ['no_tls13', 'no_sct'], grade: 'A-' },
  { name: 'TLS 1.0 too', server: { minVersion: 'TLSv1' }, warnings: ['old_protocol', 'no_sct'], grade: 'B' },
  {
    name: 'TLS 1.1 at most',
    server: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' },
    warnings: ['only_old_protocols', 'old_protocol', 'no_aead', 'no_tls13', 'no_sct'],
    grade: 'C',
  },
  {
    name: 'CBC alone',
    server: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA@SECLEVEL=0' },
    warnings: ['no_aead', 'no_tls13', 'no_sct'],
    grade: 'B',
  },
  {
    name: 'no forward secrecy',
    leaf: { key: 'rsa:2048' },
    server: { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' },
    warnings: ['no_forward_secrecy', 'no_tls13', 'no_sct'],
    grade: 'B',
  },
];

for (const { name, warnings, grade, leaf = {}, server = {}, authority } of cases) {
  t.test(`ssl grades a server: ${name}`, async (t) => {
    const issuer = authority === undefined ? intermediate : make.issueAuthority('/CN=Other', root, authority);
    const port = await serveCertificate(t, make.issue(leaf, issuer), { chain: [issuer], ...server });
    const result = await audit(port, root);
    t.same(result.warnings, warnings);
    t.equal(result.grade, grade);
    t.equal(result.valid, !['T', 'M'].includes(grade));
    t.equal(result.success, true, 'bad news are an audit too');
  });
}

t.test('ssl names every reason not to trust a certificate, not only the one OpenSSL looked at last', async (t) => {
  const old = { ...tlsIdentity('expired'), certFile: '', keyFile: '' };
  const expired = await audit(await serveCertificate(t, old), testAuthority);
  t.match(expired, { grade: 'T', valid: false, days_until_expiry: Number });
  t.ok((expired.days_until_expiry ?? 0) < 0);
  t.same(expired.warnings.slice(0, 1), ['expired']);
  t.notOk(expired.warnings.includes('untrusted'), 'dates are all that is wrong with it');
  const stranger = await audit(await serveCertificate(t, old), root);
  t.same(stranger.warnings.slice(0, 2), ['expired', 'untrusted']);
  const self = make.issue({ extensions: ['subjectAltName=DNS:other.example.com'] }, null);
  const alone = await audit(await serveCertificate(t, self), root);
  t.same(alone.warnings.slice(0, 2), ['self_signed', 'name_mismatch']);
  t.equal(alone.grade, 'T');
  t.equal(alone.grade_ignoring_trust, 'A');
  const future = { ...tlsIdentity('future'), certFile: '', keyFile: '' };
  t.match(await audit(await serveCertificate(t, future), testAuthority), { grade: 'T', warnings: ['not_yet_valid'] });
});

t.test('ssl counts days by the corrected clock, not by that of the machine', async (t) => {
  const port = await serveCertificate(t, good, { chain: [intermediate] });
  const notAfter = Date.parse(new X509Certificate(good.cert).validTo);
  for (const [now, days, warning] of [
    [notAfter - 20 * DAY_MS, 20, 'no_sct'],
    [notAfter - 1, 0, 'expires_soon'],
    [notAfter + 1, -1, 'expired'],
  ] as const) {
    const result = await audit(port, root, { clock: { ...systemClock, now: () => now } });
    t.equal(result.days_until_expiry, days);
    t.ok(result.warnings.includes(warning), warning);
  }
});

t.test('ssl judges the end of every certificate on the path that clients use, and of no other', async (t) => {
  const dying = make.issueAuthority('/CN=Dying Intermediate', root, { days: 10 });
  const renewed = make.issueAuthority('/CN=Dying Intermediate', root, { sameKeyAs: dying });
  const oldRoot = make.issueAuthority('/CN=Old Root', null);
  const crossSigned = make.issueAuthority('/CN=Test Root', oldRoot, { days: 1, sameKeyAs: root });
  const leaf = make.issue({}, dying);
  const port = await serveCertificate(t, leaf, { chain: [dying] });
  const soon = await audit(port, root);
  t.match(soon, {
    valid: true,
    warnings: ['no_sct', 'expires_soon'],
    days_until_expiry: 59,
    ends_first: { subject: 'CN=Dying Intermediate' },
  });
  t.match(soon.findings.at(-1), { message: /^CN=Dying Intermediate ends in 9 days$/ });
  t.equal(soon.ends_first?.not_after, soon.chain[1]?.not_after);
  const later = { clock: { ...systemClock, now: () => Date.now() + 11 * DAY_MS } };
  t.match(await audit(port, root, later), { valid: false, grade: 'T', warnings: ['expired', 'no_sct'] });

  const withRenewed = await audit(await serveCertificate(t, leaf, { chain: [dying, renewed] }), root, later);
  t.match(withRenewed, { valid: true, ends_first: undefined }, 'one path that is valid is enough');
  t.notOk(withRenewed.warnings.includes('expired'));
  const cross = await serveCertificate(t, good, { chain: [intermediate, crossSigned] });
  const unneeded = await audit(cross, root, later);
  t.match(unneeded, { valid: true, grade: 'A', ends_first: undefined }, 'a cross-signed root is for other clients');
  t.notOk(unneeded.warnings.includes('expired'));
  const needed = await audit(cross, oldRoot);
  t.match(needed, { valid: true, ends_first: { subject: 'CN=Test Root' } }, 'for clients with the old root alone');
  t.ok(needed.warnings.includes('expires_soon'));
});

t.test(
  'dates are all that is wrong with an expired certificate, although a cross-signed root leads to no known one',
  async (t) => {
    const crossSigned = make.issueAuthority('/CN=Test Root', make.issueAuthority('/CN=Unknown Root', null), {
      sameKeyAs: root,
    });
    const sent = [good, intermediate, crossSigned].flatMap(
      ({ cert }) => readSentCertificate(new X509Certificate(cert)) ?? [],
    );
    const now = Date.now() + 61 * DAY_MS;
    const path = followPath(sent, new Roots([root.cert]), now);
    const facts = { path, chainError: 'CERT_HAS_EXPIRED', isForName: true, serverName: 'site.example.com', now };
    t.match(judgeValidity(facts), [{ code: 'expired', message: /^CN=site.example.com ended on / }]);
    t.equal(judgeValidity(facts).length, 1);
  },
);

t.test('ssl verifies a stapled response: responder, certificate and dates', async (t) => {
  const extensions = ['extendedKeyUsage=OCSPSigning'];
  const responder = make.issue({ subject: '/CN=Responder', extensions });
  const impostor = make.issue({ subject: '/CN=Impostor', extensions: forSite });
  const strangersOwn = make.issue({ subject: '/CN=Stranger', extensions }, root);
  const broken = make.staple(good);
  // the last digit of producedAt, which nothing but the signature protects
  const digitAt = broken.indexOf(Buffer.from([0x18, 0x0f])) + 15;
  broken[digitAt] = (broken[digitAt] ?? 0) ^ 1;
  const staples: readonly (readonly [name: string, staple: Buffer, status: string, warnings: readonly string[]])[] = [
    ['good', make.staple(good), 'good', ['no_sct']],
    ['by a responder of the issuer', make.staple(good, { signer: responder }), 'good', ['no_sct']],
    ['revoked', make.staple(good, { status: 'revoked' }), 'revoked', ['revoked', 'no_sct']],
    ['unknown', make.staple(good, { status: 'unknown' }), 'unknown', ['no_sct']],
    [
      'signed by whom nobody made a responder',
      make.staple(good, { signer: impostor }),
      'invalid',
      ['bad_staple', 'no_sct'],
    ],
    [
      'signed by the responder of another',
      make.staple(good, { signer: strangersOwn }),
      'invalid',
      ['bad_staple', 'no_sct'],
    ],
    ['of another certificate', make.staple(make.issue()), 'invalid', ['bad_staple', 'no_sct']],
    ['with a wrong signature', broken, 'invalid', ['bad_staple', 'no_sct']],
    ['that is no OCSP', Buffer.from('hello'), 'invalid', ['bad_staple', 'no_sct']],
  ];
  for (const [name, staple, status, warnings] of staples) {
    const result = await audit(await serveCertificate(t, good, { chain: [intermediate], staple }), root);
    t.equal(result.ocsp_status, status, name);
    t.equal(result.valid, status !== 'revoked', name);
    t.same(result.warnings, warnings, name);
  }
  const port = await serveCertificate(t, good, { chain: [intermediate], staple: make.staple(good) });
  const late = await audit(port, root, { clock: { ...systemClock, now: () => Date.now() + 8 * DAY_MS } });
  t.match(late, { ocsp_status: 'invalid', ocsp_staple: { error: 'it is outdated' } });
  const must = make.issue({ extensions: [...forSite, 'tlsfeature=status_request'] });
  const kept = await audit(await serveCertificate(t, must, { chain: [intermediate], staple: make.staple(must) }), root);
  t.same(kept.warnings, ['no_sct']);
});

t.test('ssl keeps what a server showed that wants a certificate of ours', async (t) => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const port = await serveCertificate(t, good, { chain: [intermediate], maxVersion, requestCert: true });
    const result = await audit(port, root);
    t.match(result, { success: true, protocol: maxVersion, subject: 'CN=site.example.com', chain: { length: 2 } });
    t.equal(result.valid, maxVersion === 'TLSv1.3' ? true : null, 'in TLS 1.2 OpenSSL was not asked about the chain');
    t.match(
      result.tls_versions.find(({ version }) => version === maxVersion),
      { supported: true },
    );
  }
});
