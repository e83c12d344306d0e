import { encodeAgentFrame } from '@vantage/shared/protocol/codec.js';
import type { WebSocket } from 'ws';

const UNSENT_AT_MOST = 200;

/** A heartbeat that is an answer: it is decoded and looked at, and nothing follows. */
export const idleFrame = encodeAgentFrame({
  heartbeat: { sequence: 7, isReply: true, originMs: Date.now(), receiveMs: Date.now(), transmitMs: Date.now() },
});

/** Sends that frame over these sockets in turns, `frames` in all, as fast as they take it. @returns how many */
export async function flood(sockets: readonly WebSocket[], frames: number): Promise<number> {
  const each = Math.floor(frames / sockets.length);
  await Promise.all(sockets.map((socket) => floodOne(socket, each)));
  return each * sockets.length;
}

async function floodOne(socket: WebSocket, frames: number): Promise<void> {
  for (let sent = 1; sent <= frames; sent += 1) {
    if (sent % UNSENT_AT_MOST === 0 || sent === frames) await new Promise((resolve) => socket.send(idleFrame, resolve));
    else socket.send(idleFrame);
  }
}
