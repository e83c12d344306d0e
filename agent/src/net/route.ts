import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { abortable } from './abortable.js';

/** Any port: connecting a datagram socket chooses a route and sends nothing (connect(2)). */
const UNUSED_PORT = 9;
/** Addresses far from everybody, of a.root-servers.net; only the routing table is asked for them. */
const WORLD = { 4: '198.41.0.4', 6: '2001:503:ba3e::2:30' } as const;

/** True if this machine has a route and a source address for `address`; no packet leaves. */
export function hasRoute(address: string, signal: AbortSignal): Promise<boolean> {
  return abortable(signal, ({ resolve }) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => resolve(true));
    socket.connect(UNUSED_PORT, address);
    return () => socket.close();
  });
}

/** True if this machine has a default route over a family; no packet leaves. */
export function hasWorldRoute(family: 4 | 6): Promise<boolean> {
  return hasRoute(WORLD[family], new AbortController().signal).catch(() => false);
}
