import { X509Certificate } from 'node:crypto';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import fc from 'fast-check';
import t from 'tap';
import { serverHello } from '../../../test/_support/ancient-server.js';
import { testAuthority } from '../../../test/_support/certificates.js';
import { CertificateMaker } from '../../../test/_support/made-certificates.js';
import { temporaryDirectory } from '../../../test/_support/temporary-directory.js';
import { Roots } from '../../net/tls/roots.js';
import { DerError } from './certificate/der.js';
import { readCertificateFields } from './certificate/fields.js';
import { followPath } from './certificate/path.js';
import { countScts } from './certificate/sct.js';
import { readSentCertificate, type SentCertificate } from './certificate/sent-certificate.js';
import { parseServerHello } from './hello/server-hello.js';
import { judgeStaple } from './staple/judge-staple.js';
import { parseOcspResponse } from './staple/ocsp-response.js';

skipFileWithout('openssl');
const make = new CertificateMaker(temporaryDirectory(t));
const made = make.issue({
  extensions: [
    'subjectAltName=DNS:a.example,IP:::1',
    'tlsfeature=status_request',
    '1.3.6.1.4.1.11129.2.4.2=DER:04:05:00:03:00:01:02',
  ],
});
const der = new X509Certificate(made.cert).raw;
const staple = make.staple(made);
const roots = new Roots([make.root.cert, testAuthority]);

/** Real bytes with some overwritten, some cut out, and perhaps an end too early. */
const mutated = (bytes: Buffer) =>
  fc
    .record({
      edits: fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 6 }),
      cut: fc.tuple(fc.nat(bytes.length), fc.nat(8)),
      end: fc.oneof(fc.constant(bytes.length), fc.nat(bytes.length)),
    })
    .map(({ edits, cut: [at, count], end }) => {
      const copy = Buffer.from(bytes);
      for (const [index, value] of edits) copy[index] = value;
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + count)]).subarray(0, end);
    });

function sent(bytes: Buffer): SentCertificate | null {
  try {
    return readSentCertificate(new X509Certificate(bytes));
  } catch (error) {
    // OpenSSL refuses most mutations itself, with errors of its own
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

t.test('certificates of any bytes are read or refused', async (t) => {
  fc.assert(
    fc.property(fc.oneof(mutated(der), fc.uint8Array({ maxLength: 300 }).map(Buffer.from)), (bytes) => {
      try {
        readCertificateFields(bytes);
      } catch (error) {
        if (!(error instanceof DerError)) throw error;
      }
      const certificate = sent(bytes);
      if (certificate !== null) followPath([certificate, certificate], roots, 0);
    }),
    { numRuns: rounds(1500) },
  );
  for (const end of [1, 2, 20, der.length - 1]) t.throws(() => readCertificateFields(der.subarray(0, end)), DerError);
  t.throws(() => readCertificateFields(Buffer.concat([der, der])), DerError);
  t.equal(sent(der)?.fields.altNames.join(' '), 'a.example ::1');
  t.match(sent(der)?.fields, { mustStaple: true, sctCount: 1 });
});

t.test('stapled responses of any bytes are judged, and none that was changed is good', async (t) => {
  const leaf = sent(der);
  const issuer = new X509Certificate(make.intermediate.cert);
  if (leaf === null) throw new Error('the certificate cannot be read');
  const judge = (bytes: Buffer) => judgeStaple(bytes, { leaf, issuer, now: Date.now() });
  t.match(judge(staple), { status: 'good', details: { error: null } });
  const signed = staple.indexOf(Buffer.from([0x18, 0x0f]));
  const { signedData } = parseOcspResponse(staple);
  t.ok(signedData.includes(staple.subarray(signed, signed + 60)));
  fc.assert(
    fc.property(mutated(staple), (bytes) => {
      const { status } = judge(bytes);
      return status === 'good' ? bytes.includes(signedData) : ['invalid', 'none'].includes(status);
    }),
    { numRuns: rounds(1500) },
  );
  fc.assert(
    fc.property(fc.nat(59), fc.integer({ min: 1, max: 255 }), (offset, mask) => {
      const bytes = Buffer.from(staple);
      bytes[signed + offset] = (bytes[signed + offset] ?? 0) ^ mask;
      return judge(bytes).status === 'invalid';
    }),
    { numRuns: rounds(300) },
  );
  t.equal(judge(Buffer.alloc(70_000, 0x30)).status, 'invalid');
});

t.test('deep nesting, long rows and wild lengths cost nothing', async (t) => {
  const nested = Buffer.alloc(60_000, Buffer.from([0x30, 0x80]));
  for (const bytes of [
    nested,
    Buffer.concat([Buffer.from([0x30, 0x83, 0x00, 0xff, 0x00]), Buffer.alloc(0xff00)]),
    Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
    Buffer.from([0x30, 0x88, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
  ]) {
    t.throws(() => readCertificateFields(bytes), DerError);
  }
});

t.test('timestamps are counted whole or not at all', async (t) => {
  const list = (...lengths: number[]) => {
    const scts = Buffer.concat(lengths.map((length) => Buffer.from([0, length, ...Buffer.alloc(length)])));
    return Buffer.from([4, scts.length + 2, 0, scts.length, ...scts]);
  };
  t.equal(countScts(undefined), 0);
  t.equal(countScts(list(3)), 1);
  t.equal(countScts(list(3, 5, 7)), 3);
  t.equal(countScts(list()), 0);
  t.equal(countScts(list(3).subarray(0, -1)), 0, 'cut');
  t.equal(countScts(list(3, 0)), 0, 'empty timestamp');
  t.equal(countScts(Buffer.from([4, 5, 0, 9, 0, 1, 7])), 0, 'a list that says it is longer');
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => countScts(Buffer.from(bytes)) <= 32));
});

t.test('answers to a hello of any bytes, in pieces of any size, are read or refused', async (t) => {
  const hello = serverHello(0x0301, 0x000a);
  t.same(parseServerHello(hello), { kind: 'hello', version: 0x0301, suiteId: 10 });
  for (let end = 0; end < 78; end += 1) t.equal(parseServerHello(hello.subarray(0, end)), null, `${end} bytes`);
  const crumbs = [...hello.subarray(5)].map((byte) => Buffer.from([22, 3, 1, 0, 1, byte]));
  t.same(parseServerHello(Buffer.concat(crumbs)), { kind: 'hello', version: 0x0301, suiteId: 10 });
  t.same(parseServerHello(Buffer.from('HTTP/1.1 400')), { kind: 'other' });
  t.same(parseServerHello(Buffer.from('SSH')), { kind: 'other' });
  fc.assert(
    fc.property(fc.oneof(mutated(hello), fc.uint8Array({ maxLength: 200 }).map(Buffer.from)), (bytes) => {
      parseServerHello(bytes);
    }),
    { numRuns: rounds(2000) },
  );
});
