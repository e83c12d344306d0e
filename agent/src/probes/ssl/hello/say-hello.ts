import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { abortable } from '../../../net/abortable.js';
import { socketFailure } from '../../../net/socket-failure.js';
import { ProbeFailure } from '../../failure.js';
import { encodeClientHello, type HelloOffer } from './client-hello.js';
import { type HelloReply, parseServerHello } from './server-hello.js';

/** Bytes of an answer that are read before it counts as none. */
const MAX_REPLY_BYTES = 4096;

/**
 * Sends one ClientHello and reads what the server makes of it; the handshake goes no further. The socket is the
 * caller's to destroy.
 * @throws ProbeFailure; or the signal's reason
 */
export function sayHello(socket: Socket, offer: Omit<HelloOffer, 'random'>, signal: AbortSignal): Promise<HelloReply> {
  return abortable(signal, ({ resolve, reject }) => {
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk.subarray(0, MAX_REPLY_BYTES)]);
      const reply = parseServerHello(received);
      if (reply !== null) resolve(reply);
      else if (received.length >= MAX_REPLY_BYTES) resolve({ kind: 'other' });
    };
    const onError = (error: Error) =>
      reject(socketFailure(error, 'TLS hello') ?? new ProbeFailure('tls_handshake', 'TLS hello failed'));
    const onEnd = () => reject(new ProbeFailure('tls_handshake', 'the server closed the connection'));
    socket.on('data', onData).on('error', onError).on('end', onEnd).on('close', onEnd);
    socket.write(encodeClientHello({ ...offer, random: randomBytes(32) }));
    return () => {
      socket.off('data', onData).off('error', onError).off('end', onEnd).off('close', onEnd);
    };
  });
}
