import type { Test } from 'tap';
import type { Lab } from '../lab.js';
import { silenceEchoes, startPython } from './python.js';

const source = `
import select, socket, struct, sys

mode, targets, others = sys.argv[1], sys.argv[2:4], sys.argv[4:6]

def checksum(data):
    data += bytes(len(data) % 2)
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff

class Road:
    def __init__(self, family, protocol, target, other):
        self.family, self.protocol, self.isIPv4 = family, protocol, family == socket.AF_INET
        self.target, self.other = socket.inet_pton(family, target), socket.inet_pton(family, other)
        self.listener = socket.socket(family, socket.SOCK_RAW, protocol)
        # IPPROTO_RAW: packets bring their own IP header, source address included
        self.sender = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def answer(self):
        packet, sender = self.listener.recvfrom(2048)
        request = packet[(packet[0] & 15) * 4:] if self.isIPv4 else packet
        if request[0] != (8 if self.isIPv4 else 128):
            return
        self.prober = socket.inet_pton(self.family, sender[0])
        for reply in self.lies(request) if mode == 'lies' else [self.reply(self.target, request)] * 3:
            self.sender.sendto(reply, (sender[0], 0))

    # the kernel fills in the checksum of the IPv4 header
    def packet(self, source, destination, message):
        if self.isIPv4:
            length = 20 + len(message)
            return struct.pack('!BBHHHBBH', 0x45, 0, length, 0, 0, 64, 1, 0) + source + destination + message
        return struct.pack('!IHBB', 0x60000000, len(message), 58, 64) + source + destination + message

    def checked(self, source, message):
        message = message[:2] + b'\\0\\0' + message[4:]
        pseudo = b'' if self.isIPv4 else source + self.prober + struct.pack('!II', len(message), 58)
        return message[:2] + struct.pack('!H', checksum(pseudo + message)) + message[4:]

    def sent(self, source, message):
        return self.packet(source, self.prober, self.checked(source, message))

    def echo(self, request):
        return bytes([0 if self.isIPv4 else 129]) + request[1:]

    def reply(self, source, request):
        return self.sent(source, self.echo(request))

    def spoilt(self, request, offset):
        reply = self.echo(request)
        return self.sent(self.target, reply[:offset] + bytes([reply[offset] ^ 0x40]) + reply[offset + 1:])

    # host unreachable, quoting the request as if it had gone to the other host
    def error(self, request):
        head = bytes([3, 1] if self.isIPv4 else [1, 3]) + bytes(6)
        return self.sent(self.target, head + self.packet(self.prober, self.other, request))

    def payload_lies(self, request):
        return [self.spoilt(request, 8), self.spoilt(request, 15), self.sent(self.target, self.echo(request)[:16])]

    # identifier, sequence, payload, length, checksum, source; and an error about another host
    def lies(self, request):
        true = self.checked(self.target, self.echo(request))
        wrong = true[:2] + bytes([true[2] ^ 1, true[3] ^ 1]) + true[4:]
        return [
            self.spoilt(request, 4),
            self.spoilt(request, 6),
            *(self.payload_lies(request) if len(request) >= 24 else []),
            self.packet(self.target, self.prober, wrong),
            self.reply(self.other, request),
            self.error(request),
        ]

roads = [
    Road(socket.AF_INET, socket.IPPROTO_ICMP, targets[0], others[0]),
    Road(socket.AF_INET6, socket.IPPROTO_ICMPV6, targets[1], others[1]),
]
print('ready', flush=True)
while True:
    for listener in select.select([road.listener for road in roads], [], [])[0]:
        next(road for road in roads if road.listener is listener).answer()
`;

/** Replies to an echo request: five to eight replies that are wrong in one way each, or the right one three times. */
export type Mode = 'lies' | 'echoes';
/** An IPv4 and an IPv6 address of one host. */
type Addresses = readonly [v4: string, v6: string];

/** Answers echo requests to `target` as no honest host would, until the test ends; `other` is who did not ask. */
export async function startHostileResponder(
  t: Test,
  lab: Lab,
  { mode, target, other }: { readonly mode: Mode; readonly target: Addresses; readonly other: Addresses },
): Promise<void> {
  await silenceEchoes(t, lab);
  await startPython(t, lab, { host: 'far', source, args: [mode, ...target, ...other] });
}
