import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Test } from 'tap';
import type { Lab } from '../lab.js';

// Every other message gives the length of its quote (RFC 4884); the others have the older form without, in which the
// extension stands behind 128 bytes. In Python, so that nothing of ours makes what ours is to read.
const program = `
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

/** Makes `far` a router that answers echo requests with time exceeded and a label stack; ends with the test. */
export async function mplsResponder(t: Test, lab: Lab): Promise<ChildProcess> {
  await lab.exec('far', 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all');
  const child = lab.spawn('far', ['python3', '-c', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}
