import type { SslVersion } from '@vantage/shared/probe-types/ssl-result.js';
import t from 'tap';
import type { VersionAttempt } from '../attempt.js';
import { weakSuites } from '../hello/suites.js';
import { judgeProtocols, type ProtocolFacts } from './protocols.js';

const aVersion = (version: SslVersion, parts: Partial<VersionAttempt> = {}): VersionAttempt => ({
  version,
  isSupported: true,
  cipher: 'ECDHE-RSA-AES128-GCM-SHA256',
  keyExchange: { group: 'X25519', dhBits: null },
  reason: null,
  ...parts,
});
const best = aVersion('TLSv1.3', { cipher: 'TLS_AES_128_GCM_SHA256' });
const dh = (bits: number) => ({ keyExchange: { group: `DH ${bits}`, dhBits: bits } });
const judged = (facts: Partial<ProtocolFacts>) =>
  judgeProtocols({ versions: [best], weakSuites: [], finiteField: null, ...facts });
const codes = (facts: Partial<ProtocolFacts>) => judged(facts).map(({ code }) => code);

t.test('versions and key exchanges are judged at each limit', async (t) => {
  const none = { isSupported: false, cipher: null, keyExchange: null };
  const unknown = { ...none, isSupported: null };
  const cases: readonly (readonly [versions: readonly VersionAttempt[], expected: readonly string[]])[] = [
    [[best], []],
    [[aVersion('TLSv1.2'), best], []],
    [[aVersion('SSLv3'), best], ['ssl3_protocol']],
    [[aVersion('TLSv1'), aVersion('TLSv1.1'), best], ['old_protocol']],
    [[aVersion('TLSv1.2'), aVersion('TLSv1.3', none)], ['no_tls13']],
    [[aVersion('TLSv1.2'), aVersion('TLSv1.3', unknown)], []],
    [
      [aVersion('TLSv1.1'), aVersion('TLSv1.2', none), aVersion('TLSv1.3', none)],
      ['old_protocol', 'only_old_protocols', 'no_tls13'],
    ],
    [[aVersion('TLSv1.2', dh(2048)), best], []],
    [[aVersion('TLSv1.2', dh(2047)), best], ['weak_key_exchange']],
    [[aVersion('TLSv1.2', dh(1024)), best], ['weak_key_exchange']],
    [[aVersion('TLSv1.2', dh(1023)), best], ['insecure_key_exchange']],
    [[aVersion('TLSv1.2', { keyExchange: null }), best], ['no_forward_secrecy']],
    [[aVersion('TLSv1.2', { keyExchange: null, cipher: null }), best], []],
    [[aVersion('TLSv1.2', { cipher: 'ECDHE-RSA-AES128-SHA' })], ['no_aead']],
    [[aVersion('TLSv1.2', { cipher: 'ECDHE-RSA-CHACHA20-POLY1305' })], []],
    [[aVersion('TLSv1.2', { cipher: 'ECDHE-RSA-AES128-SHA' }), best], []],
  ];
  for (const [versions, expected] of cases) t.same(codes({ versions }), expected, JSON.stringify(versions));
});

t.test('a key exchange that the server does only where nothing else is offered is judged once', async (t) => {
  const tls12 = aVersion('TLSv1.2', dh(1024));
  const { keyExchange: finiteField } = dh(1024);
  const alone = { code: 'weak_key_exchange', message: 'DHE alone: DH 1024' };
  t.same(judged({ finiteField }), [alone]);
  t.same(judged({ finiteField, versions: [tls12, best] }), [{ ...alone, message: 'TLSv1.2: DH 1024' }]);
  t.same(codes({ finiteField: dh(512).keyExchange, versions: [tls12, best] }), [
    'insecure_key_exchange',
    'weak_key_exchange',
  ]);
});

t.test('each kind of weak cipher has its finding, which names the cipher', async (t) => {
  const taken = [...new Map(weakSuites.map((suite) => [suite.kind, suite])).values()];
  t.same(codes({ weakSuites: taken }), [
    'null_cipher',
    'anonymous_cipher',
    'export_cipher',
    'des_cipher',
    'rc4_cipher',
    'triple_des_cipher',
  ]);
  t.same(
    judged({ weakSuites: taken }).map(({ message }) => message),
    taken.map(({ name }) => name),
  );
});

t.test('no number of the registry stands twice', async (t) => {
  t.equal(new Set(weakSuites.map(({ id }) => id)).size, weakSuites.length);
});
