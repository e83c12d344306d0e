import type { Test } from 'tap';
import type { Lab } from '../lab.js';
import { startPython } from './python.js';

// The first 4 bytes of UDP and TCP are the ports; an echo request has type, code and checksum there, and its identifier
// behind.
const source = `
import select, socket

listeners = [socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol)
    for protocol in (socket.IPPROTO_ICMP, socket.IPPROTO_UDP, socket.IPPROTO_TCP)]
print('ready', flush=True)
while True:
    for listener in select.select(listeners, [], [])[0]:
        packet = listener.recv(2048)
        transport = packet[(packet[0] & 15) * 4:]
        isEcho = listener.proto == socket.IPPROTO_ICMP
        if not isEcho or transport[0] == 8:
            print(listener.proto, transport[:6 if isEcho else 4].hex(), flush=True)
`;

/**
 * Watches what arrives at `far` until the test ends.
 * @returns for every probe packet what a load balancer takes for its flow, a list that grows
 */
export function startFlowSniffer(t: Test, lab: Lab): Promise<readonly string[]> {
  return startPython(t, lab, { host: 'far', source });
}
