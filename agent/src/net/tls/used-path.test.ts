import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import t, { type Test } from 'tap';
import { startTlsServer } from '../../../test/_support/certificates.js';
import { CertificateMaker, type MadeCertificate } from '../../../test/_support/made-certificates.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';
import { describeTls } from './report.js';
import { Roots } from './roots.js';
import { earlierEnd, usedPath } from './used-path.js';

skipFileWithout('openssl');
const make = new CertificateMaker(temporaryDirectory(t));
const { root, intermediate } = make;
const short = make.issueAuthority('/CN=Short', root, { days: 20 });
const shorter = make.issueAuthority('/CN=Short', root, { days: 10, sameKeyAs: short });
const stranger = make.issueAuthority('/CN=Stranger', null);
const strangersShort = make.issueAuthority('/CN=Short', stranger, { days: 3000, sameKeyAs: short });
const crossSigned = make.issueAuthority('/CN=Test Root', stranger, { days: 5, sameKeyAs: root });
const leaf = make.issue();
const shortLeaf = make.issue({}, short);

/** Path of what was sent, as positions in it. */
function positions(sent: readonly MadeCertificate[], ...known: readonly MadeCertificate[]) {
  const certificates = sent.map(({ cert }) => new X509Certificate(cert));
  const path = usedPath(certificates, new Roots(known.map(({ cert }) => cert)));
  return {
    path: path.certificates.map((certificate) => certificates.indexOf(certificate)),
    root: path.root?.subject ?? null,
    earlier: earlierEnd(path)?.subject ?? null,
  };
}

t.test('of several paths to a known root, the one that is valid longest is used', async (t) => {
  const known = { root: 'CN=Test Root', earlier: null };
  t.match(positions([leaf, intermediate], root), { path: [0, 1], ...known });
  t.match(positions([leaf, intermediate, root], root), { path: [0, 1], ...known }, 'the root need not be sent');
  t.match(positions([leaf, intermediate, crossSigned], root), { path: [0, 1], ...known });
  t.match(positions([leaf, crossSigned, root, intermediate], root), { path: [0, 3], ...known }, 'in any order');
  t.match(positions([leaf, intermediate, crossSigned], stranger), { path: [0, 1, 2], earlier: 'CN=Test Root' });
  t.match(positions([leaf, intermediate, crossSigned], root, stranger), { path: [0, 1], ...known });
  t.match(positions([shortLeaf, shorter, short], root), { path: [0, 2], earlier: 'CN=Short' });
  t.match(positions([shortLeaf, strangersShort, shorter], root), { path: [0, 2], earlier: 'CN=Short' });
  t.match(positions([leaf], intermediate), { path: [0], root: 'CN=Test Intermediate', earlier: null });
  t.match(positions([root], root), { path: [0], root: 'CN=Test Root', earlier: null });
});

t.test('without a known root the signatures are followed as far as they lead', async (t) => {
  const unknown = { root: null, earlier: null };
  t.match(positions([leaf, intermediate, root], stranger), { path: [0, 1], ...unknown });
  t.match(positions([leaf, root], stranger), { path: [0], ...unknown });
  t.match(positions([leaf, leaf, leaf], stranger), { path: [0], ...unknown });
  t.match(positions([shortLeaf, short, shorter], stranger), { path: [0, 1], earlier: 'CN=Short' });
  t.match(positions([], root), { path: [], ...unknown });
});

t.test('a connection reports the certificate of an authority that ends before the one of the server', async (t) => {
  t.match((await described(t, shortLeaf, shorter)).ends_first, { subject: 'CN=Short' });
  t.equal((await described(t, leaf, intermediate)).ends_first, undefined);
  t.equal((await described(t, leaf, shorter)).ends_first, undefined, 'an authority of others ends nothing');
});

async function described(t: Test, server: MadeCertificate, authority: MadeCertificate) {
  const { port } = await startTlsServer(t, { key: server.key, cert: server.cert + authority.cert }, () => {});
  const socket = connectTls({ socket: connect(port, '127.0.0.1'), rejectUnauthorized: false });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  const report = describeTls(socket);
  socket.destroy();
  return report;
}
