import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';

/** Prints each datagram as a line of JSON. Descriptors that come along are closed, which systemd-notify waits for. */
const RECEIVER = `
import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print(json.dumps("listening"), flush=True)
while True:
    print(json.dumps(s.recv(4096).decode()), flush=True)
`;

/** Socket on which a test listens as systemd does. */
export interface ServiceManager {
  /** Environment of a watched service. */
  readonly env: Readonly<Record<string, string>>;
  /** Assignments that were received, in order: `READY=1`. */
  readonly received: readonly string[];
  /** Resolves when an assignment has come, now or before. */
  receives(assignment: string | RegExp): Promise<void>;
}

/** Starts one; gone when `t` ends. Needs python3. */
export async function startServiceManager(t: Test, watchdogMs: number): Promise<ServiceManager> {
  const folder = mkdtempSync(join(tmpdir(), 'vantage-notify-'));
  const socket = join(folder, 'notify');
  const receiver: ChildProcess = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(receiver, 'close');
  t.teardown(async () => {
    receiver.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const received: string[] = [];
  const waiting = new Set<() => void>();
  const isReady = new Promise<void>((resolve) => {
    createInterface({ input: receiver.stdout ?? process.stdin }).on('line', (line) => {
      const message: string = JSON.parse(line);
      if (message === 'listening') return resolve();
      received.push(...message.split('\n').filter((assignment) => assignment !== '' && assignment !== 'BARRIER=1'));
      for (const look of waiting) look();
    });
  });
  await isReady;
  return {
    env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: String(watchdogMs * 1_000) },
    received,
    receives: (assignment) =>
      new Promise((resolve) => {
        const look = () => {
          if (!received.some((text) => (typeof assignment === 'string' ? text === assignment : assignment.test(text))))
            return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
