import { readFileSync } from 'node:fs';

/** A state of `net/tcp` (include/net/tcp_states.h). */
const ESTABLISHED = '01';

/** Lets sockets of this machine do all that they can do at once. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

const socketKinds = new Set(['TCPSocketWrap', 'TLSWrap', 'UDPWrap', 'TCPConnectWrap', 'UDPSendWrap']);

/** Number of open sockets of this process, those of the test's own servers included; compare before and after. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => socketKinds.has(kind)).length;
}

/**
 * Number of IPv4 connections that clients of this machine have to `port`, according to the kernel (proc(5),
 * `net/tcp`).
 */
export function connectionsTo(port: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return lines.filter((line) => {
    const [, , address = '', state] = line.trim().split(/\s+/);
    return state === ESTABLISHED && address.endsWith(remote);
  }).length;
}

/** Number of timers that keep this process alive, those of the test itself included; compare before and after. */
export function openTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
