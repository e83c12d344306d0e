import { connect } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { systemClock } from '@vantage/shared/clock.js';
import { byNode, type FindingCase } from '@vantage/shared/diagnose/_support/finding-case.js';
import type { CodeOf } from '@vantage/shared/diagnose/finding-table.js';
import type { Test } from 'tap';
import { http } from '../../src/probes/http/index.js';
import { startAncientFront } from '../_support/ancient-server.js';
import { testAuthority, tlsIdentity } from '../_support/certificates.js';
import { startHttpServer } from '../_support/http-server.js';
import { type CertificateMaker, type MadeCertificate, openssl } from '../_support/made-certificates.js';
import { startOpensslServer } from '../_support/openssl-server.js';
import { aContext, aSpec } from '../_support/probe-context.js';
import { startShortDhFront } from '../_support/short-dh-server.js';
import { audit, type ServerWishes, serveCertificate } from '../_support/ssl-probe.js';
import { startTcpServer, unusedPort } from '../_support/tcp-server.js';

const forSite = ['subjectAltName=DNS:site.example.com'];
const timestamps = '1.3.6.1.4.1.11129.2.4.2=DER:04:0E:00:0C:00:04:01:02:03:04:00:04:05:06:07:08';
const DHE = 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0';

type Wishes = Parameters<CertificateMaker['issue']>[0];

/** A server for each finding of section `ssl`, with certificates that `make` creates. */
export function sslCases(make: CertificateMaker): Readonly<Record<CodeOf<'ssl'>, FindingCase>> {
  const { root, intermediate } = make;

  /** By a clock that stands still: an audit that runs out of time on a busy machine has another finding. */
  const audited = async (port: number, trusted: MadeCertificate | string = root) => ({
    ssl: byNode<'ssl'>(await audit(port, trusted, { clock: new FakeClock(Date.now()) })),
  });
  /** A server of this process with a certificate, its issuer, and what is wrong with it. */
  const serving =
    (leaf: Wishes, server: ServerWishes = {}, issuer = intermediate): FindingCase =>
    async (t) =>
      audited(await serveCertificate(t, make.issue(leaf, issuer), { chain: [issuer], ...server }));
  /** A certificate of the testdata, by its own authority. */
  const dated =
    (name: 'expired' | 'future'): FindingCase =>
    async (t) =>
      audited(await serveCertificate(t, { ...tlsIdentity(name), certFile: '', keyFile: '' }), testAuthority);
  /** A good server that also takes a cipher or version that no OpenSSL of today speaks. */
  const ancient =
    (suiteId: number, version = 0x0301): FindingCase =>
    async (t) => {
      const port = await serveCertificate(t, make.issue(), { chain: [intermediate] });
      return audited((await startAncientFront(t, { versions: [version], suiteIds: [suiteId] }, port)).port);
    };
  /** openssl's own server with an RSA key. */
  const opensslServer =
    (...words: string[]): FindingCase =>
    async (t) =>
      audited(await startOpensslServer(t, [make.issue({ key: 'rsa:2048' }), intermediate], '-tls1_2', ...words));
  const stapling =
    (stapleOf: (leaf: MadeCertificate) => Buffer): FindingCase =>
    async (t) => {
      const leaf = make.issue();
      return audited(await serveCertificate(t, leaf, { chain: [intermediate], staple: stapleOf(leaf) }));
    };
  const unsafe = opensslServer('-cipher', 'aNULL:eNULL:AES128-SHA:@SECLEVEL=0');

  return {
    ssl_unreachable: async (t) => {
      const site = await startHttpServer(t, (_request, response) => response.end('hello'));
      const plain = await http.run(aSpec('http', `http://127.0.0.1:${site.port}/`), aContext());
      return { ...(await audited(await unusedPort())), http: byNode<'http'>(plain) };
    },
    expired: dated('expired'),
    not_yet_valid: dated('future'),
    self_signed: async (t) => audited(await serveCertificate(t, make.issue({}, null))),
    untrusted: async (t) => audited(await serveCertificate(t, make.issue(), { chain: [intermediate] }), testAuthority),
    name_mismatch: serving({ extensions: ['subjectAltName=DNS:other.example.com'] }),
    revoked: stapling((leaf) => make.staple(leaf, { status: 'revoked' })),
    ssl3_protocol: ancient(0x002f, 0x0300),
    null_cipher: unsafe,
    anonymous_cipher: unsafe,
    export_cipher: ancient(0x0003),
    des_cipher: ancient(0x0009),
    insecure_key: serving({ key: 'rsa:768' }),
    insecure_key_exchange: async (t) => {
      const leaf = make.issue({ key: 'rsa:2048' });
      const port = await serveCertificate(t, leaf, { chain: [intermediate] });
      return audited((await startShortDhFront(t, { leaf, chain: [intermediate], port })).port);
    },
    md5_signature: (t) =>
      serving({ digest: 'md5' }, {}, make.issueAuthority('/CN=Other', root, { key: 'rsa:2048' }))(t),
    sha1_signature: serving({ digest: 'sha1' }),
    weak_key: serving({ key: 'rsa:1024' }),
    only_old_protocols: serving({}, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
    rc4_cipher: ancient(0x0005),
    old_protocol: serving({}, { minVersion: 'TLSv1' }),
    triple_des_cipher: ancient(0x000a),
    no_forward_secrecy: serving({ key: 'rsa:2048' }, { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }),
    weak_key_exchange: (t) => {
      const dhparam = openssl('dhparam', '-dsaparam', '1024');
      return serving({ key: 'rsa:2048' }, { dhparam, maxVersion: 'TLSv1.2', ciphers: DHE })(t);
    },
    no_aead: serving({}, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA@SECLEVEL=0' }),
    incomplete_chain: serving({}, { chain: [] }),
    validity_too_long: serving({ days: 500 }),
    must_staple_missing: serving({ extensions: [...forSite, 'tlsfeature=status_request'] }),
    no_tls13: serving({}, { maxVersion: 'TLSv1.2' }),
    bad_staple: stapling(() => Buffer.from('hello')),
    wrong_order: serving({}, { chain: [root, intermediate] }),
    no_sct: serving({}),
    incomplete_audit: async (t) => {
      const port = await serveCertificate(t, make.issue(), { chain: [intermediate] });
      return { ssl: byNode<'ssl'>(await audit(await startFront(t, port), root, { clock: systemClock }, 10_000)) };
    },
    expires_soon: serving({ days: 10 }),
    root_sent: serving({}, { chain: [intermediate, root] }),
    unneeded_certificate: serving({}, { chain: [intermediate, intermediate] }),
    ssl_good: serving({ extensions: [...forSite, timestamps] }),
  };
}

/** A firewall that lets the first connection through, and swallows all others. */
async function startFront(t: Test, port: number): Promise<number> {
  let connections = 0;
  const front = await startTcpServer(t, (socket) => {
    connections += 1;
    if (connections > 1) return;
    const onward = connect({ port, host: '127.0.0.1' });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  return front.port;
}
