import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { abortable } from './abortable.js';

/** Any port: connecting a datagram socket chooses a route and sends nothing (connect(2)). */
const UNUSED_PORT = 9;

/** Whether this machine has a route and a source address for `address`; no packet leaves. */
export function hasRoute(address: string, signal: AbortSignal): Promise<boolean> {
  return abortable(signal, ({ resolve }) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => resolve(true));
    socket.connect(UNUSED_PORT, address);
    return () => socket.close();
  });
}
