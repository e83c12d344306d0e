import type { Test } from 'tap';
import type { Lab } from '../lab.js';
import { startPython } from './python.js';

// By the header of IP, because what a raw socket of IPv6 is given has none: class of traffic and flow label are the flow's
// too. The first 4 bytes of UDP and TCP are the ports; an echo request has type, code and checksum there, and its
// identifier behind.
const source = `
import socket, sys

target = socket.inet_pton(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET, sys.argv[1])
kind = 0x86dd if ':' in sys.argv[1] else 0x0800
protocols = {1: 'icmp', 58: 'icmp', 6: 'tcp', 17: 'udp'}
listener = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(kind))
print('ready', flush=True)
while True:
    packet = listener.recv(2048)
    if kind == 0x0800:
        head, protocol, destination = packet[1:2], packet[9], packet[16:20]
        transport = packet[(packet[0] & 15) * 4:]
    else:
        head, protocol, destination = packet[:4], packet[6], packet[24:40]
        transport = packet[40:]
    name = protocols.get(protocol)
    if name is None or destination != target:
        continue
    if name != 'icmp':
        print(name, head.hex(), transport[:4].hex(), flush=True)
    elif transport[0] in (8, 128):
        print(name, head.hex(), transport[:6].hex(), flush=True)
`;

/**
 * Watches what arrives at an address of `far` until the test ends.
 * @returns for every probe packet its protocol and what a load balancer takes for its flow, a list that grows
 */
export function startFlowSniffer(t: Test, lab: Lab, target: string): Promise<readonly string[]> {
  return startPython(t, lab, { host: 'far', source, args: [target] });
}
