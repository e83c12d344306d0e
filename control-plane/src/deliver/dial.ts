import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Address } from './pinned.js';

// One connection:
//
//   TCP to the pinned addresses, in turn ──> TLS over it, for https ──> established
//   └────────────── the signal destroys the socket in either ─────────────┘

const KEEP_ALIVE_MS = 60_000;
/**
 * Addresses of a name that are tried. net.connect calls itself for each that fails at once, so that a name with thousands of them overflows
 * the stack, and one request would go to as many servers.
 */
const MAX_TRIED = 8;

/** Server to connect to. */
export interface Peer {
  readonly url: URL;
  /** Addresses that may be connected to; at least one. */
  readonly addresses: readonly Address[];
  /** PEM; in place of the public roots. */
  readonly trustedCertificates: readonly string[] | undefined;
}

/**
 * Establishes a connection, with TLS for https. When the signal is aborted, or either step fails, no socket is left. Errors of an
 * established socket are the caller's to see in what it reads and writes: none of them is ever thrown by the socket itself.
 * @throws the error of the socket; or the signal's reason
 */
export async function dial({ url, addresses, trustedCertificates }: Peer, signal: AbortSignal): Promise<Socket> {
  const isEncrypted = url.protocol === 'https:';
  // an address has no brackets in a certificate, and is no server name (RFC 6066 section 3)
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tcp = connectTcp({
    host,
    port: Number(url.port) || (isEncrypted ? 443 : 80),
    lookup: pinnedLookup(triedOf(addresses)),
    autoSelectFamily: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  });
  await established(tcp, 'connect', signal);
  if (!isEncrypted) return tcp;
  const tls = connectTls({
    socket: tcp,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    ...(trustedCertificates === undefined ? {} : { ca: [...trustedCertificates] }),
  });
  return established(tls, 'secureConnect', signal);
}

/** Waits for the event of a socket, which is destroyed if something else comes first. */
function established<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    // it stays: a socket without one would throw in the process whatever happens to it later
    socket.on('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })));
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
    const onAbort = () => {
      reject(signal.reason);
      socket.destroy();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** A few addresses, of both families if there are both. */
function triedOf(addresses: readonly Address[]): readonly Address[] {
  const six = addresses.filter(({ family }) => family === 6).slice(0, MAX_TRIED / 2);
  const four = addresses.filter(({ family }) => family === 4).slice(0, MAX_TRIED - six.length);
  return [...six, ...four];
}

/**
 * Lookup of the socket, which uses the pinned addresses: a second reply of DNS is never used. It replies in a later turn, as the system
 * does: a connection that fails in the turn in which it was begun has no listener yet, and its error would end the process.
 */
function pinnedLookup(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    setImmediate(() => {
      if (all || first === undefined) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}
