import type { Socket } from 'node:net';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t from 'tap';
import { END_STREAM, h2Data, h2Head, STATUS_200, serverPreface } from '../../../test/_support/h2-frames.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { ProbeFailure } from '../failure.js';
import { http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

/** Answers that are good, by the version they are given in. */
const valid = {
  '1.1': [
    `${OK}Content-Length: 5\r\n\r\nhello`,
    `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nT: u\r\n\r\n`,
    `HTTP/1.1 103 Hints\r\n\r\n${OK}Content-Encoding: gzip\r\n\r\nno gzip`,
    'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
  ].map((text) => Buffer.from(text, 'latin1')),
  '2': [
    Buffer.concat([serverPreface, h2Head(STATUS_200), h2Data('hello', END_STREAM)]),
    Buffer.concat([serverPreface, h2Head(Buffer.concat([STATUS_200, Buffer.from([0x5f, 3, 97, 47, 98])]), 5)]),
  ],
} as const;

const mutations = fc.array(fc.record({ at: fc.nat(120), put: fc.uint8Array({ maxLength: 4 }), cut: fc.nat(6) }), {
  maxLength: 3,
});
const answers = fc.oneof(
  fc.record({ version: fc.constant('1.1' as const), bytes: fc.constantFrom(...valid['1.1']), mutations }),
  fc.record({ version: fc.constant('2' as const), bytes: fc.constantFrom(...valid['2']), mutations }),
);

t.test('http returns a result for any response of a server, and leaves nothing behind', async (t) => {
  let answer = Buffer.alloc(0);
  const server = await startTcpServer(t, (socket: Socket) => socket.once('data', () => socket.end(answer)));
  const before = openSockets();
  let running = 0;
  await fc.assert(
    fc.asyncProperty(answers, async ({ version, bytes, mutations }) => {
      answer = mutations.reduce(
        (changed, { at, put, cut }) => Buffer.concat([changed.subarray(0, at), put, changed.subarray(at + cut)]),
        Buffer.from(bytes),
      );
      const spec = aSpec('http', `http://127.0.0.1:${server.port}/`, { http_version: version });
      // HTTP/2 that is broken beyond repair says nothing more: only its deadline ends it
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new ProbeFailure('timeout', 'no answer')), 100);
      running += 1;
      const result = await http.run(spec, aContext({ signal: deadline.signal }));
      running -= 1;
      clearTimeout(timer);
      return isResult(result).ok && result.error?.code !== 'internal';
    }),
    { numRuns: rounds(300), interruptAfterTimeLimit: 2000 },
  );
  // the time limit takes a probe that hangs for one that passed
  await until('every probe has ended', () => running === 0);
  await until('no connection is left', () => server.open === 0 && openSockets() <= before);
});
