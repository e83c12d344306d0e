import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import t, { type Test } from 'tap';
import { LoadGenerator, type LoadOrder } from './load-generator.js';

type Answer = readonly [status: number, body: object];

const created: Answer = [202, { data: { task_id: 'pt_1' } }];
const done: Answer = [200, { data: { summary: { success_count: 1 } } }];

const generator = new LoadGenerator();
t.teardown(() => generator.stop());

/** An API with these answers, and a load of two probes in flight for it. */
async function start(test: Test, answerTo: (request: IncomingMessage, response: ServerResponse) => Answer | null) {
  const server = createServer((request, response) => {
    const answer = answerTo(request, response);
    if (answer !== null) response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const probe = { key: null, type: 'http', body: {}, nodes: 1, inFlight: 2, takesBudget: false };
  return { url, ...probe, seconds: 0.1 } satisfies LoadOrder;
}

t.test('a window counts the probes that ended in it, and its edges are reported', async (t) => {
  let ended = 0;
  const order = await start(t, ({ method }) => {
    if (method === 'POST') return created;
    ended += 1;
    return done;
  });
  let edges = 0;
  // where the processes stand still, no probe may end within a tenth of a second
  const window = await untilRight(
    async () => {
      [ended, edges] = [0, 0];
      return await generator.measure(order, () => {
        edges += 1;
      });
    },
    ({ count }) => count > 0,
  );
  t.equal(edges, 2);
  t.ok(window.count > 0 && window.count < ended, 'those before the window do not count');
  t.ok(window.seconds > 0.09 && window.p50 > 0);
});

t.test('a request that is refused, or that fails, ends a measurement with a message', async (t) => {
  const tooMany: Answer = [429, { error: { code: 'RATE_LIMIT_EXCEEDED' } }];
  const cases = [
    { answers: { POST: tooMany, GET: done }, message: /^POST \/v1\/probe\/http was refused with 429: .*RATE_LIMIT/ },
    { answers: { POST: created, GET: tooMany }, message: /^GET \/v1\/probe\/tasks\/pt_1 was refused with 429: / },
    {
      answers: { POST: created, GET: [200, { data: { summary: { success_count: 0 } } }] as Answer },
      message: /^a probe did not succeed on its node: /,
    },
    { answers: { POST: created, GET: null }, message: /^GET \/v1\/probe\/tasks\/pt_1 failed: / },
  ];
  for (const { answers, message } of cases) {
    const order = await start(t, ({ method, socket }) => {
      const answer = answers[method as 'GET' | 'POST'];
      if (answer === null) socket.destroy();
      return answer;
    });
    await t.rejects(
      generator.measure(order, () => undefined),
      { name: 'BenchError', message },
    );
  }
});

t.test('a load generator that ends fails its measurement', async (t) => {
  const order = await start(t, ({ method }) => (method === 'POST' ? created : done));
  await t.rejects(
    generator.measure(order, () => process.kill(generator.pid, 'SIGKILL')),
    { name: 'BenchError', message: 'the load generator ended' },
  );
});
