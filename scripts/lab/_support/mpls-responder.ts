import type { Test } from 'tap';
import type { Lab } from '../lab.js';
import { silenceEchoes, startPython } from './python.js';

// Every other message gives the length of its quote (RFC 4884); the others have the older form without, in which the
// extension stands behind 128 bytes.
const source = `
import socket, struct

def checksum(data):
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff

stack = struct.pack('!II', 16001 << 12 | 5 << 9 | 1, 3 << 12 | 1 << 8 | 254)
extension = struct.pack('!BBHHBB', 0x20, 0, 0, 4 + len(stack), 1, 1) + stack
extension = extension[:2] + struct.pack('!H', checksum(extension)) + extension[4:]
answered = 0
listener = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
print('ready', flush=True)
while True:
    packet, (source, _) = listener.recvfrom(2048)
    if packet[(packet[0] & 15) * 4] != 8:
        continue
    quote = packet[:128].ljust(128, b'\\0')
    body = struct.pack('!BBHBBH', 11, 0, 0, 0, 32 * (answered % 2), 0) + quote + extension
    listener.sendto(body[:2] + struct.pack('!H', checksum(body)) + body[4:], (source, 0))
    answered += 1
`;

/** Turns `far` into a router that answers echo requests with time exceeded and a label stack; ends with the test. */
export async function startMplsResponder(t: Test, lab: Lab): Promise<void> {
  await silenceEchoes(t, lab);
  await startPython(t, lab, { host: 'far', source });
}
