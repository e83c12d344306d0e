import type { Socket } from 'node:net';
import { type SslVersion, sslVersions } from '@vantage/shared/probe-types/ssl-result.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import { connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { unsupported, untried, type VersionAttempt } from './attempt.js';
import type { AuditContexts } from './contexts.js';
import { type Handshake, type KeyExchange, shakeHands } from './handshake.js';
import { type HelloVersion, wireVersions } from './hello/client-hello.js';
import { sayHello } from './hello/say-hello.js';
import type { HelloReply } from './hello/server-hello.js';
import { allSuites, type Suite, weakSuites } from './hello/suites.js';
import { inLanes } from './lanes.js';

/** Connections open to the server at once. */
const LANES = 3;
/** Milliseconds each connection has, within the deadline over all: one version a firewall swallows must not cost all. */
const CONNECTION_MS = 5000;
/** Bits of the longest Diffie-Hellman key that OpenSSL refuses. */
const MAX_REFUSED_DH_BITS = 1023;
/** Alert descriptions that servers refuse a hello with (RFC 8446 section 6.2), in OpenSSL's words. */
const alertNames: Readonly<Record<number, string>> = {
  40: 'handshake failure',
  47: 'illegal parameter',
  50: 'decode error',
  70: 'protocol version',
  71: 'insufficient security',
  80: 'internal error',
  112: 'unrecognized name',
};

/** Findings so far, recorded as they are made, so that an audit that is cut short reports those it has. */
export class Observations {
  dnsMs: number | null = null;
  tcpMs: number | null = null;
  /** The address contacted, or tried last; every connection goes to it. */
  address: ResolvedAddress | null = null;
  /** The first handshake, which offered everything, or the first one that worked. */
  handshake: Handshake | null = null;
  readonly versions = new Map<SslVersion, VersionAttempt>(
    sslVersions.map((version) => [version, untried(version, 'not tried')]),
  );
  readonly weakSuites: Suite[] = [];
  /** True if the server has refused every weak suite that it did not accept. */
  isWeakSearchComplete = false;
  /** Diffie-Hellman over a finite field as the server does it where nothing else is offered; null if it does not, or if that is unknown. */
  finiteField: KeyExchange | null = null;
  /** True if the server has shown or refused such a key exchange. */
  isFiniteFieldKnown = false;
}

export interface AuditRequest {
  /** Judged already. */
  readonly address: ResolvedAddress;
  readonly port: number;
  /** Sent as SNI where it is a name. */
  readonly serverName: Host;
  readonly contexts: AuditContexts;
}

type AuditContext = Pick<ProbeContext, 'signal' | 'clock'>;

/** Shakes hands in one version after the other, and looks for weak ciphers, over connections to one address. */
export class Audit {
  readonly #request: AuditRequest;
  readonly #context: AuditContext;
  readonly #seen: Observations;

  constructor(request: AuditRequest, context: AuditContext, seen: Observations) {
    this.#request = request;
    this.#context = context;
    this.#seen = seen;
  }

  /**
   * Fills in the observations. A version that fails is an observation.
   * @throws ProbeFailure when the server takes no connection or answers none; or the signal's reason
   */
  async run(first: Socket): Promise<void> {
    const failure = await this.#shakeAny(first);
    const known = this.#seen.handshake?.protocol;
    const versions = (['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1'] as const).filter((version) => version !== known);
    await inLanes(LANES, [
      ...versions.map((version) => () => this.#tryVersion(version)),
      () => this.#trySsl3(),
      () => this.#tryFiniteField(),
      () => this.#searchWeakSuites(),
    ]);
    if (this.#seen.handshake === null) throw failure;
  }

  /** The handshake an ordinary client would make. Null, or why there is none; the versions may still work alone. */
  async #shakeAny(first: Socket): Promise<ProbeFailure | null> {
    try {
      const handshake = await this.#limited((signal) => this.#shake(first, this.#request.contexts.any(), signal));
      this.#seen.handshake = handshake;
      this.#recordVersion(handshake);
      return null;
    } catch (error) {
      // a server that does not respond to one hello will not respond to six more
      if (error instanceof ProbeFailure && ['tls_handshake', 'tcp_reset'].includes(error.code)) return error;
      throw error;
    } finally {
      first.destroy();
    }
  }

  async #tryVersion(version: Exclude<SslVersion, 'SSLv3'>): Promise<void> {
    const { contexts } = this.#request;
    try {
      const handshake = await this.#connected((socket, signal) => this.#shake(socket, contexts.only(version), signal));
      this.#seen.handshake ??= handshake;
      this.#recordVersion(handshake);
    } catch (error) {
      const failure = this.#survivable(error);
      if (isTooShort(failure)) {
        this.#seen.versions.set(version, withShortKeys(version));
        return;
      }
      this.#seen.versions.set(version, refusal(version, failure));
      // a server without a common cipher may still support the version
      const isSettled = failure.code !== 'tls_handshake' || /protocol|wrong version number/i.test(failure.message);
      if (version !== 'TLSv1.3' && !isSettled) await this.#tryByHand(version);
    }
  }

  async #trySsl3(): Promise<void> {
    await this.#tryByHand('SSLv3');
  }

  /** A hello that offers every cipher there is, for versions and ciphers that OpenSSL does not speak. */
  async #tryByHand(version: HelloVersion): Promise<void> {
    try {
      const reply = await this.#hello(version, allSuites);
      this.#seen.versions.set(version, versionOf(version, reply));
    } catch (error) {
      const failure = this.#survivable(error);
      if (this.#seen.versions.get(version)?.isSupported !== false) {
        this.#seen.versions.set(version, refusal(version, failure));
      }
    }
  }

  /** Most servers prefer curves, and show this key exchange only to clients that know no other. */
  async #tryFiniteField(): Promise<void> {
    const { contexts } = this.#request;
    try {
      const shaken = await this.#connected((socket, signal) => this.#shake(socket, contexts.finiteField(), signal));
      this.#seen.finiteField = shaken.keyExchange;
      this.#seen.isFiniteFieldKnown = shaken.keyExchange !== null;
    } catch (error) {
      const failure = this.#survivable(error);
      this.#seen.finiteField = isTooShort(failure) ? shortKeys : null;
      this.#seen.isFiniteFieldKnown = isAnswer(failure);
    }
  }

  /** Offers weak suites alone until the server takes none: it shows one of each kind. */
  async #searchWeakSuites(): Promise<void> {
    let offered = weakSuites;
    while (offered.length > 0) {
      const taken = await this.#takenOf(offered);
      if (taken === null) return;
      this.#seen.weakSuites.push(taken);
      offered = offered.filter(({ kind }) => kind !== taken.kind);
    }
    this.#seen.isWeakSearchComplete = true;
  }

  async #takenOf(offered: readonly Suite[]): Promise<Suite | null> {
    try {
      const reply = await this.#hello('TLSv1.2', offered);
      const taken = reply.kind === 'hello' ? offered.find(({ id }) => id === reply.suiteId) : undefined;
      if (taken === undefined) this.#seen.isWeakSearchComplete = true;
      return taken ?? null;
    } catch (error) {
      const { code } = this.#survivable(error);
      this.#seen.isWeakSearchComplete = code === 'tls_handshake' || code === 'tcp_reset';
      return null;
    }
  }

  #hello(version: HelloVersion, suites: readonly Suite[]): Promise<HelloReply> {
    const suiteIds = suites.map(({ id }) => id);
    return this.#connected((socket, signal) =>
      sayHello(socket, { version, suiteIds, serverName: this.#sni() }, signal),
    );
  }

  #shake(socket: Socket, secureContext: ReturnType<AuditContexts['any']>, signal: AbortSignal): Promise<Handshake> {
    return shakeHands(socket, { secureContext, serverName: this.#sni(), signal, clock: this.#context.clock });
  }

  #sni(): string | null {
    const { serverName } = this.#request;
    return serverName.kind === 'name' ? serverName.name : null;
  }

  /** A connection of its own, destroyed after. */
  #connected<T>(work: (socket: Socket, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { address, port } = this.#request;
    return this.#limited(async (signal) => {
      const { socket } = await connectTcp({ addresses: [address], port, signal, clock: this.#context.clock });
      try {
        return await work(socket, signal);
      } finally {
        socket.destroy();
      }
    });
  }

  #limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, signal } = this.#context;
    const reason = () => new ProbeFailure('timeout', `no response to a TLS hello within ${CONNECTION_MS} ms`);
    return within({ clock, ms: CONNECTION_MS, reason }, signal, work);
  }

  #recordVersion({ protocol, cipher, keyExchange }: Handshake): void {
    const version = sslVersions.find((name) => name === protocol);
    if (version === undefined) return;
    this.#seen.versions.set(version, { version, isSupported: true, cipher, keyExchange, reason: null });
  }

  /** Returns the failure of one connection; rethrows an error that ends the whole audit. */
  #survivable(error: unknown): ProbeFailure {
    const { signal } = this.#context;
    if (signal.aborted) throw signal.reason;
    if (error instanceof ProbeFailure) return error;
    throw error;
  }
}

/** True if OpenSSL broke off because of the server's Diffie-Hellman key: it takes none below 1024 bits at any level. */
function isTooShort({ message }: ProbeFailure): boolean {
  return /dh key too small/i.test(message);
}

/** Key exchange with such a key, whose exact length is not known. */
const shortKeys: KeyExchange = { group: 'DH below 1024', dhBits: MAX_REFUSED_DH_BITS };

function withShortKeys(version: SslVersion): VersionAttempt {
  return { version, isSupported: true, cipher: null, keyExchange: shortKeys, reason: null };
}

/** True if the server broke off, false if it cannot be reached any more. */
function isAnswer({ code }: ProbeFailure): boolean {
  return code === 'tls_handshake' || code === 'tcp_reset';
}

/** A server that breaks off does not take the version; one that cannot be reached any more says nothing. */
function refusal(version: SslVersion, failure: ProbeFailure): VersionAttempt {
  const reason = failure.message.replace(/^TLS handshake failed: (?:ssl\S* |tls\S* )?/, '');
  return isAnswer(failure) ? unsupported(version, reason) : untried(version, reason);
}

function versionOf(version: HelloVersion, reply: HelloReply): VersionAttempt {
  if (reply.kind === 'other') return unsupported(version, 'the response is not TLS');
  if (reply.kind === 'alert') {
    return unsupported(version, `alert ${alertNames[reply.description] ?? reply.description}`);
  }
  if (reply.version !== wireVersions[version]) return unsupported(version, 'the server chose another version');
  const suite = allSuites.find(({ id }) => id === reply.suiteId);
  const cipher = suite?.name ?? `0x${reply.suiteId.toString(16).padStart(4, '0')}`;
  return { version, isSupported: true, cipher, keyExchange: keyExchangeByName(cipher), reason: null };
}

/**
 * Key exchange by the name of a suite; a hello written by hand exchanges no keys, but the name shows if they would
 * have been ephemeral.
 */
function keyExchangeByName(cipher: string): VersionAttempt['keyExchange'] {
  const match = /^(ECDHE|DHE|EDH)-/.exec(cipher);
  return match === null ? null : { group: match[1] ?? '', dhBits: null };
}
