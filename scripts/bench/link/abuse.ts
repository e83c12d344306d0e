import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentFrame, encodeAgentFrame, laneCode } from '@vantage/shared/protocol/codec.js';
import type { WebSocket } from 'ws';
import { pingResult } from './results.js';

const TASK = laneCode('task');
/** A hostile peer sends on while this much of what it sent has not left. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const FRAMES_AT_ONCE = 50;

/** A kind of flood. */
export type Abuse =
  | 'heartbeats'
  | 'self-tests'
  | 'states'
  | 'dropped ranges'
  | 'batches of one row'
  | 'the same full batch';

/** The frame of this number, of a peer with this epoch. */
type FrameOf = (epoch: Uint8Array, index: number) => AgentFrame;

const checks = Array.from({ length: 200 }, () => ({ name: 'ipv4', status: 'ok', detail: 'x'.repeat(1_000) }));
const states = Array.from({ length: 500 }, () => ({ kind: 'x', subject: 'y', slotMs: 1 }));
const rowsAt = (epoch: Uint8Array, first: number, rows: number): AgentFrame => ({
  results: { epoch, lane: TASK, first, results: Array.from({ length: rows }, () => pingResult('pt_nobody')) },
});

/** Frames that one hostile peer sends as fast as it can, by the kind of abuse. */
export const abuses: Readonly<Record<Abuse, FrameOf>> = {
  heartbeats: () => ({ heartbeat: { sequence: 1 } }),
  'self-tests': () => ({ heartbeat: { sequence: 1, selfTest: { finishedAtMs: 1, checks } } }),
  states: () => ({ states: { states } }),
  'dropped ranges': (epoch, index) => ({ dropped: { epoch, lane: TASK, first: index + 1, last: index + 1 } }),
  'batches of one row': (epoch, index) => rowsAt(epoch, index + 1, 1),
  'the same full batch': (epoch) => rowsAt(epoch, 1, 500),
};

/** Sends frames of one kind over the current socket of its peer for a time. @returns their number */
export async function abuse(
  how: Abuse,
  peer: { readonly socket: WebSocket | null; readonly epoch: Uint8Array },
  untilMs: number,
): Promise<number> {
  // a real hostile peer has its own machine: on this one it takes the CPU that the others leave
  setPriority(constants.priority.PRIORITY_LOW);
  const frameOf: FrameOf = abuses[how];
  // created once if they are all alike: the receiver is measured
  const isSame = frameOf.length < 2;
  const same = encodeAgentFrame(frameOf(peer.epoch, 0));
  let sent = 0;
  while (performance.now() < untilMs) {
    const { socket } = peer;
    if (
      socket?.readyState === socket?.OPEN &&
      (socket?.bufferedAmount ?? Number.POSITIVE_INFINITY) < MAX_UNSENT_BYTES
    ) {
      for (let more = 0; more < FRAMES_AT_ONCE; more += 1) {
        socket?.send(isSame ? same : encodeAgentFrame(frameOf(peer.epoch, sent)));
        sent += 1;
      }
    }
    await pause(1);
  }
  return sent;
}
