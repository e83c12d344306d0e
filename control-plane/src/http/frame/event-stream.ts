import type { ServerResponse } from 'node:http';
import type { Clock } from '@vantage/shared/clock.js';
import type { EventsReply, ServerEvent } from '../route.js';
import type { Exchange } from './exchange.js';
import { frameHeaders } from './reply.js';

/** Interval of comments that keep proxies from closing a quiet stream, in milliseconds. */
export const KEEPALIVE_MS = 15_000;

/** Delay before a browser reconnects with Last-Event-ID, in milliseconds. */
const RETRY_MS = 3_000;

/**
 * Sends Server-Sent Events (WHATWG HTML, section 9.2) until the iterable ends, the caller leaves or the server closes.
 * A caller that reads slowly is waited for. `check` sees the data of each event before it is sent.
 */
export async function sendEvents(
  exchange: Exchange,
  reply: EventsReply,
  clock: Clock,
  check: (data: unknown) => void,
): Promise<void> {
  const { request, response, signal } = exchange;
  const iterator = reply.events[Symbol.asyncIterator]();
  response.writeHead(reply.status, {
    ...frameHeaders(exchange),
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
    // a stream ends by its caller or the server: the connection is not kept for another request
    Connection: 'close',
  });
  const stopKeepalive = request.method === 'HEAD' ? () => {} : beginStream(response, clock);
  try {
    if (request.method !== 'HEAD') {
      const pumped = pump(response, iterator, check);
      await unlessAborted(reply.cut === undefined ? pumped : unlessAborted(pumped, reply.cut), signal);
    }
  } finally {
    stopKeepalive();
    // the iterable may be waiting for its next event, and returns only after it
    Promise.resolve(iterator.return?.()).catch((err) =>
      exchange.log.debug({ err }, 'event source did not end cleanly'),
    );
  }
  response.end();
}

/** Sends the first line and then comments. @returns a function that stops them */
function beginStream(response: ServerResponse, clock: Clock): () => void {
  response.write(`retry: ${RETRY_MS}\n\n`);
  let cancel = () => {};
  const arm = () => {
    cancel = clock.after(KEEPALIVE_MS, onTick, { unref: true });
  };
  const onTick = () => {
    if (!response.writableNeedDrain) response.write(': keepalive\n\n');
    arm();
  };
  arm();
  return () => cancel();
}

async function pump(
  response: ServerResponse,
  iterator: AsyncIterator<ServerEvent>,
  check: (data: unknown) => void,
): Promise<void> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true || response.closed || response.writableEnded) return;
    check(next.value.data);
    if (!response.write(formatEvent(next.value))) await drained(response);
  }
}

function formatEvent({ event, id, data }: ServerEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const onDone = () => {
      response.off('drain', onDone).off('close', onDone);
      resolve();
    };
    response.on('drain', onDone).on('close', onDone);
  });
}

/** Settles with `work`, or resolves when the signal is aborted first. */
function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve();
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
