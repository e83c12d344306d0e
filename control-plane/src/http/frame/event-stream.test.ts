import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { Type } from 'typebox';
import { aRoute } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { openSocket } from '../../../test/_support/raw-http.js';
import type { AnyRoute, ServerEvent } from '../route.js';
import { KEEPALIVE_MS } from './event-stream.js';

/** A stream that the test feeds. `isReturned` once the frame has let go of it. */
class Feed implements AsyncIterableIterator<ServerEvent> {
  readonly #queue: ServerEvent[] = [];
  #wake = () => {};
  #isEnded = false;
  isReturned = false;
  taken = 0;

  push(event: ServerEvent): void {
    this.#queue.push(event);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<ServerEvent>> {
    while (this.#queue.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#queue.shift();
    if (value === undefined) return { done: true, value: undefined };
    this.taken++;
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<ServerEvent>> {
    this.isReturned = true;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function streamRoute(events: AsyncIterable<ServerEvent>): AnyRoute {
  return aRoute('/v1/stream', {
    replyKind: 'events',
    replies: { 200: Type.Object({ step: Type.Integer() }) },
    handle: async () => ({ status: 200, events }),
  });
}

/** Opens the stream over a bare socket and collects what comes. */
async function listen(t: Test, port: number) {
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  t.teardown(() => socket.destroy());
  socket.write('GET /v1/stream HTTP/1.1\r\nHost: a\r\n\r\n');
  return { socket, received: () => received };
}

t.test('events are sent as they come, with name, id and JSON data, and the stream ends with them', async (t) => {
  const feed = new Feed();
  const { url } = await startTestServer(t, [streamRoute(feed)]);
  const response = await fetch(`${url}/v1/stream`);
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  t.equal(response.headers.get('cache-control'), 'no-store');
  feed.push({ event: 'probe.result', id: '1', data: { step: 1 } });
  feed.push({ event: 'probe.done', data: { step: 2 } });
  feed.end();
  t.equal(
    await response.text(),
    'retry: 3000\n\nid: 1\nevent: probe.result\ndata: {"step":1}\n\nevent: probe.done\ndata: {"step":2}\n\n',
  );
  t.ok(feed.isReturned);
});

t.test('a quiet stream sends a comment every 15 s', async (t) => {
  const clock = new FakeClock();
  const feed = new Feed();
  const { port } = await startTestServer(t, [streamRoute(feed)], { clock });
  const { received } = await listen(t, port);
  await until('the first line', () => received().includes('retry: 3000'));
  for (const comments of [1, 2]) {
    clock.advance(KEEPALIVE_MS);
    await until(`comment ${comments}`, () => received().split(': keepalive\n\n').length === comments + 1);
  }
  feed.end();
  await until('the end', () => feed.isReturned);
  t.equal(clock.pendingTimers, 0, 'no timer outlives the stream');
});

t.test('a stream is let go when its caller leaves, even while it waits for its next event', async (t) => {
  const feed = new Feed();
  const { port, log } = await startTestServer(t, [streamRoute(feed)]);
  const { socket, received } = await listen(t, port);
  await until('the first line', () => received().includes('retry: 3000'));
  socket.destroy();
  await until('the stream to be let go', () => feed.isReturned);
  await until('the line of the request', () => log.some(({ operation_id }) => operation_id === 'get_v1_stream'));
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('a stream ends when the server closes, and closing does not wait for it', async (t) => {
  const feed = new Feed();
  const { server, port } = await startTestServer(t, [streamRoute(feed)], { clock: new FakeClock() });
  const { socket, received } = await listen(t, port);
  await until('the first line', () => received().includes('retry: 3000'));
  let isEnded = false;
  socket.on('end', () => {
    isEnded = true;
  });
  // the clock stands still: only an orderly end lets stop() finish
  await server.stop();
  await until('the end of the stream', () => isEnded);
  t.ok(feed.isReturned);
  t.match(received(), /0\r\n\r\n$/, 'the last chunk is complete');
});

t.test('a caller that does not read is waited for, not buffered for', async (t) => {
  const feed = new Feed();
  const { port } = await startTestServer(t, [{ ...streamRoute(feed), replies: { 200: Type.Unknown() } }]);
  const { socket } = await listen(t, port);
  socket.pause();
  const events = 80;
  for (let step = 0; step < events; step++) feed.push({ event: 'big', data: 'x'.repeat(200_000) });
  feed.end();
  let before = -1;
  await until('the server to stop taking events', async () => {
    const isStill = feed.taken > 0 && feed.taken === before;
    before = feed.taken;
    return isStill;
  });
  t.ok(feed.taken < events, `${feed.taken} of ${events} events were taken`);
  socket.resume();
  await until('the rest to be taken once the caller reads', () => feed.taken === events);
});

t.test('HEAD of a stream gets its headers and takes no event', async (t) => {
  const feed = new Feed();
  const { url } = await startTestServer(t, [streamRoute(feed)]);
  const response = await fetch(`${url}/v1/stream`, { method: 'HEAD' });
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  await until('the stream to be let go', () => feed.isReturned);
  t.equal(feed.taken, 0);
});

t.test('a stream that fails is cut and logged, and so is one whose events are not as declared', async (t) => {
  async function* failing(): AsyncGenerator<ServerEvent> {
    yield { event: 'a', data: { step: 1 } };
    throw new Error('source lost');
  }
  async function* undeclared(): AsyncGenerator<ServerEvent> {
    yield { event: 'a', data: { step: 'one' } };
  }
  for (const [events, message] of [
    [failing(), 'source lost'],
    [undeclared(), 'does not declare'],
  ] as const) {
    const { port, log } = await startTestServer(t, [streamRoute(events)]);
    const { socket, received } = await listen(t, port);
    await until('the connection to be closed', () => socket.closed);
    t.notMatch(received(), /0\r\n\r\n$/, 'no last chunk: the caller sees that it is not whole');
    const failures = log.filter(({ level }) => level === 'error');
    t.equal(failures.length, 1);
    t.match(failures[0], { err: { message } });
  }
});
