import type { SslFindingCode } from '@vantage/shared/probe-types/ssl-findings.js';
import type { VersionAttempt } from '../attempt.js';
import type { KeyExchange } from '../handshake.js';
import type { Suite, WeakKind } from '../hello/suites.js';
import { type Complaint, when } from './finding.js';

const weakKindCodes: Readonly<Record<WeakKind, SslFindingCode>> = {
  null: 'null_cipher',
  anonymous: 'anonymous_cipher',
  export: 'export_cipher',
  des: 'des_cipher',
  rc4: 'rc4_cipher',
  triple_des: 'triple_des_cipher',
};

const aeadCipher = /^TLS_|GCM|CCM|CHACHA20/;

/** Bits of Diffie-Hellman. */
const WEAK_DH_BITS = 2048;
const INSECURE_DH_BITS = 1024;

/** Protocols and ciphers of a server. */
export interface ProtocolFacts {
  readonly versions: readonly VersionAttempt[];
  /** Weak suites that the server accepts. */
  readonly weakSuites: readonly Suite[];
  /** Key exchange with a client that offers Diffie-Hellman over a finite field alone; null if there is none, or it is unknown. */
  readonly finiteField: KeyExchange | null;
}

/** Findings about the versions and ciphers that a server accepts. */
export function judgeProtocols({ versions, weakSuites, finiteField }: ProtocolFacts): Complaint[] {
  const supported = versions.filter(({ isSupported }) => isSupported === true);
  const isKnownNot = (name: string) => versions.some((v) => v.version === name && v.isSupported === false);
  const has = (...names: string[]) => supported.filter(({ version }) => names.includes(version));
  const old = has('TLSv1', 'TLSv1.1');
  return [
    ...when(has('SSLv3').length > 0, 'ssl3_protocol', 'SSLv3 is offered'),
    ...when(old.length > 0, 'old_protocol', `${names(old)} ${old.length === 1 ? 'is' : 'are'} offered`),
    ...when(
      isKnownNot('TLSv1.2') && isKnownNot('TLSv1.3'),
      'only_old_protocols',
      `only ${names(supported)} is offered`,
    ),
    ...when(isKnownNot('TLSv1.3'), 'no_tls13', 'TLSv1.3 is not offered'),
    ...weakSuites.flatMap(({ kind, name }) => (kind === null ? [] : [{ code: weakKindCodes[kind], message: name }])),
    ...judgeKeyExchange(supported, finiteField),
    ...judgeBest(supported.at(-1)),
  ];
}

function judgeKeyExchange(supported: readonly VersionAttempt[], finiteField: KeyExchange | null): Complaint[] {
  const negotiated = supported.map(({ version, keyExchange }) => ({ place: version, ...keyExchange }));
  const isSeen = negotiated.some(({ group }) => group === finiteField?.group);
  const exchanges = isSeen ? negotiated : [...negotiated, { place: 'DHE alone', ...finiteField }];
  const isBelow = (bits: number) => exchanges.filter(({ dhBits }) => (dhBits ?? bits) < bits);
  const insecure = isBelow(INSECURE_DH_BITS);
  const weak = isBelow(WEAK_DH_BITS).filter((exchange) => !insecure.includes(exchange));
  // without the cipher, its key exchange is unknown
  const plain = supported.filter(({ cipher, keyExchange }) => cipher !== null && keyExchange === null);
  const listGroups = (found: typeof exchanges) => found.map(({ place, group }) => `${place}: ${group}`).join('; ');
  return [
    ...when(insecure.length > 0, 'insecure_key_exchange', listGroups(insecure)),
    ...when(weak.length > 0, 'weak_key_exchange', listGroups(weak)),
    ...when(plain.length > 0, 'no_forward_secrecy', listCiphers(plain)),
  ];
}

/** The last one is the best: versions are in order. */
function judgeBest(best: VersionAttempt | undefined): Complaint[] {
  if (best === undefined || best.cipher === null) return [];
  return when(!aeadCipher.test(best.cipher), 'no_aead', listCiphers([best]));
}

function names(versions: readonly VersionAttempt[]): string {
  return versions.map(({ version }) => version).join(', ');
}

function listCiphers(versions: readonly VersionAttempt[]): string {
  return versions.map(({ version, cipher }) => `${version}: ${cipher}`).join('; ');
}
