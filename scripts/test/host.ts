import './no-async-hooks.js';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import type { FromHost, ToHost } from './host-messages.js';

// Runs test files one after another in this process, as requested by its parent, so that loaded libraries and warm code
// serve the next file. The root `t` of a file is replaced with a separate test, so that its hooks, its timeout and its
// directory end with it.

/** Methods of the root test that a file may call. */
const ofFile = [
  ...(['test', 'spawn', 'setTimeout', 'testdir', 'teardown', 'before', 'beforeEach', 'after', 'afterEach'] as const),
  ...(['ok', 'notOk', 'equal', 'match', 'same', 'strictSame', 'fail'] as const),
] as const;

const testOfRoot = t.test.bind(t);
let current: Test | null = null;
for (const name of ofFile) {
  const ofRoot = t[name].bind(t);
  const method = (...args: unknown[]) =>
    current === null ? Reflect.apply(ofRoot, t, args) : Reflect.apply(current[name], current, args);
  Object.assign(t, { [name]: method });
}

let closed = () => {};
t.pipe(
  new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const tap = String(chunk);
      send({ tap });
      if (/^(?:not )?ok /m.test(tap)) closed();
      done();
    },
  }),
);
t.register();
// tap releases the channel
process.channel?.ref();

process.on('message', (message: ToHost) => {
  if (message === 'end') process.disconnect();
  else void runFile(message.file, message.timeoutSeconds);
});

async function runFile(file: string, timeoutSeconds: number): Promise<void> {
  const env = { ...process.env };
  // the test is over before the line that closes it is written
  const isReported = new Promise<void>((resolve) => {
    closed = resolve;
  });
  await testOfRoot(file, { timeout: timeoutSeconds * 1000 }, async (test) => {
    current = test;
    await import(pathToFileURL(join(process.cwd(), file)).href);
  });
  await isReported;
  current = null;
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  send({ rss: process.memoryUsage.rss() });
}

function send(message: FromHost): void {
  if (process.connected) process.send?.(message, () => undefined);
}
