import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { FileReply } from '../route.js';
import type { Exchange } from './exchange.js';
import { frameHeaders } from './reply.js';

/** Sends a file as fast as the caller takes it. A caller that leaves ends the reading. */
export async function sendFile(exchange: Exchange, { status, file }: FileReply): Promise<void> {
  const headers = frameHeaders(exchange);
  headers['Content-Type'] = file.contentType;
  headers['Content-Length'] = file.bytes;
  exchange.response.writeHead(status, headers);
  if (exchange.request.method === 'HEAD') {
    exchange.response.end();
    return;
  }
  await pipeline(createReadStream(file.path, { end: Math.max(0, file.bytes - 1) }), exchange.response);
}
