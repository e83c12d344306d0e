import type { Socket } from 'node:net';
import { abortable } from '../../net/abortable.js';
import { ProbeFailure } from '../failure.js';
import { Answer, connectionFailure, type ExchangeOptions } from './answer.js';
import { ResponseReader } from './h1-response.js';
import { type HttpRequest, wireHeaders } from './request.js';

/** One request over HTTP/1.1 (RFC 9112), after which the connection is closed; see `exchange`. */
export function exchangeHttp1(socket: Socket, request: HttpRequest, options: ExchangeOptions): Promise<void> {
  const { signal, clock, hop, userAgent, wantsBody } = options;
  return abortable(signal, ({ resolve, reject }) => {
    const fail = (error: unknown) => {
      reader.stop();
      // the error of the socket explains more than its consequences
      reject(http1Failure(socket.errored ?? error));
    };
    const finish = () => {
      reader.stop();
      answer.complete();
      resolve();
    };
    const reader = new ResponseReader(request.method, {
      onInterim: ({ rawHeaders }) => answer.takeInterim(rawHeaders),
      onHead: ({ statusCode, httpVersion, rawHeaders }) => {
        answer.takeHead(statusCode, httpVersion, rawHeaders);
        if (wantsBody()) return;
        reader.stop();
        resolve();
      },
      onBody: (chunk) => {
        if (!answer.takeChunk(chunk)) finish();
      },
      onEnd: finish,
    });
    const read = (step: () => void) => {
      try {
        step();
      } catch (error) {
        fail(error);
      }
    };
    socket.once('error', fail);
    socket.on('data', (bytes: Buffer) => {
      answer.begin();
      read(() => reader.push(bytes));
    });
    socket.once('end', () => read(() => reader.end()));
    socket.once('close', () => read(() => reader.end()));
    const answer = new Answer({ clock, hop });
    send(socket, request, userAgent);
    return () => socket.destroy();
  });
}

/** Head and body leave in one piece where they fit; `Connection: close`, because every probe has a fresh one. */
function send(socket: Socket, request: HttpRequest, userAgent: string): void {
  const { method, url, body } = request;
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(wireHeaders(request, userAgent))) head += `${name}: ${value}\r\n`;
  head += 'connection: close\r\n\r\n';
  if (body === null) socket.write(head, 'latin1');
  else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]));
}

function http1Failure(error: unknown): ProbeFailure {
  const ended = 'the connection was closed before the response was complete';
  return connectionFailure(error) ?? new ProbeFailure('http_protocol', ended, { cause: error });
}
