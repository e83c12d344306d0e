import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '@vantage/shared/clock.js';
import { judgePinnedUrl, pinnedTls } from '../identity/tls-pins.js';
import { abortable } from '../net/abortable.js';
import { connectFirst } from './connect-first.js';
import { dialStep } from './dial-step.js';
import type { LinkAddresses, LookUp } from './link-addresses.js';
import { openTunnel } from './proxy-tunnel.js';

//   find addresses ──> TCP, happy eyeballs ──> CONNECT, where there is a proxy ──> TLS, by name ──> stream
//                  each step within its own ten seconds: dial-step.ts

/** Path of this agent to its control plane. */
export interface LinkWay {
  /** Source address; null for the system's choice. */
  readonly bindAddress: string | null;
  /** HTTP proxy that tunnels by CONNECT; null for a direct connection. */
  readonly proxyUrl: string | null;
  readonly addresses: Pick<LinkAddresses, 'find' | 'worked' | 'failed'>;
  /** Pins of the control plane's TLS key, any of them; none or absent: any key that verifies. */
  readonly tlsPins?: readonly string[];
  readonly clock: Clock;
}

/** The system's resolver, hosts file included. */
export const systemLookUp: LookUp = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * An open stream to the host of `url` (http, https, ws or wss), encrypted and verified by name for the secure ones; the
 * receiver destroys it. @throws the reason in words, or the signal's
 */
export async function openStream(url: URL, way: LinkWay, signal: AbortSignal): Promise<Duplex> {
  const { bindAddress, clock, tlsPins = [] } = way;
  const unpinned = judgePinnedUrl(url, tlsPins);
  if (unpinned !== null) throw unpinned;
  const isSecure = /^(https|wss):$/.test(url.protocol);
  const target = endpointOf(url, isSecure ? 443 : 80);
  const proxyUrl = way.proxyUrl === null ? null : new URL(way.proxyUrl);
  const first = proxyUrl === null ? target : endpointOf(proxyUrl, 80);
  const step = <T>(what: string, run: (signal: AbortSignal) => Promise<T>) => dialStep({ what, clock, signal }, run);
  const addresses = await step(`the address of ${first.host}`, (within) => find(first.host, way, within));
  const { socket, address } = await step('the connection', (within) =>
    connectFirst(addresses, { port: first.port, bindAddress, clock, signal: within }),
  );
  try {
    if (proxyUrl !== null) await step('the proxy', (within) => openTunnel(socket, proxyUrl, target, within));
    const stream = isSecure
      ? await step('TLS', (within) => encrypt(socket, { host: target.host, tlsPins, signal: within }))
      : socket;
    way.addresses.worked(first.host, address);
    return stream;
  } catch (error) {
    socket.destroy();
    if (!signal.aborted) way.addresses.failed(address);
    throw error;
  }
}

/** A resolver continues by itself when its result is no longer awaited. */
function find(host: string, { addresses }: LinkWay, signal: AbortSignal): Promise<readonly string[]> {
  return abortable(signal, ({ resolve, reject }) => {
    addresses.find(host).then(resolve, reject);
    return () => undefined;
  });
}

interface Encryption {
  readonly host: string;
  readonly tlsPins: readonly string[];
  readonly signal: AbortSignal;
}

function encrypt(socket: Socket, { host, tlsPins, signal }: Encryption): Promise<TLSSocket> {
  return abortable(signal, ({ resolve, reject }) => {
    // a literal has no server name (RFC 6066 section 3), its certificate names the address
    const servername = /[:]|^[\d.]+$/.test(host) ? '' : host;
    const stream = connectTls({ socket, host, servername, ALPNProtocols: ['http/1.1'], ...pinnedTls(tlsPins) });
    stream.once('secureConnect', () => resolve(stream)).once('error', reject);
    return (isResolved) => {
      if (!isResolved) stream.destroy();
    };
  });
}

function endpointOf(url: URL, defaultPort: number): { readonly host: string; readonly port: number } {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: url.port === '' ? defaultPort : Number(url.port) };
}
