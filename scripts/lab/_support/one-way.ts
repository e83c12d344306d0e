import type { Test } from 'tap';
import type { Lab } from '../lab.js';
import { startPython } from './python.js';

const PORT = 4000;

// all namespaces have one monotonic clock
const stamper = `
import socket, struct, time
listener = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
listener.bind(('::', ${PORT}))
print('ready', flush=True)
while True:
    data, sender = listener.recvfrom(2048)
    listener.sendto(data[:16] + struct.pack('!d', time.monotonic() * 1000), sender)
`;

const asker = `
import json, select, socket, struct, sys, time
target, count, spacing, size = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000, int(sys.argv[4])
sender = socket.socket(socket.AF_INET6 if ':' in target else socket.AF_INET, socket.SOCK_DGRAM)
sender.connect((target, ${PORT}))
frames, begun = [], time.monotonic()
sent, end = 0, begun + count * spacing + 60
while len(frames) < count and time.monotonic() < end:
    wait = end - time.monotonic()
    if sent < count:
        wait = begun + sent * spacing - time.monotonic()
        if wait <= 0:
            sender.send(struct.pack('!dd', sent, time.monotonic() * 1000).ljust(size, b'.'))
            sent += 1
            continue
    if select.select([sender], [], [], wait)[0]:
        _, sent_ms, arrived_ms = struct.unpack('!ddd', sender.recv(2048))
        frames.append({'sentMs': sent_ms, 'arrivedMs': arrived_ms, 'returnedMs': time.monotonic() * 1000})
print(json.dumps(frames))
`;

/** Times at which a datagram left the agent's machine, reached far, and was back, by one clock. */
export interface StampedFrame {
  readonly sentMs: number;
  readonly arrivedMs: number;
  readonly returnedMs: number;
}

/** Datagrams of `bytes` in a rhythm, each stamped at far; those that came back. */
export interface OneWayTrip {
  readonly target: string;
  readonly count: number;
  readonly spacingMs: number;
  readonly bytes: number;
}

/** Starts what stamps at far, until the test ends. @returns what sends datagrams there and reads the stamps */
export async function startStamping(t: Test, lab: Lab): Promise<(trip: OneWayTrip) => Promise<StampedFrame[]>> {
  await startPython(t, lab, { host: 'far', source: stamper });
  return async ({ target, count, spacingMs, bytes }) => {
    const args = [target, count, spacingMs, bytes].map(String);
    return JSON.parse(await lab.exec('agent', 'python3', '-c', asker, ...args));
  };
}
