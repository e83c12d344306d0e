import type { Packet, Path } from './path.js';

/** What to do now: send a packet, send nothing before a moment (monotonic milliseconds), or send nothing any more. */
export type Step =
  | { readonly kind: 'send'; readonly packet: Packet }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'done' };

/** Which packets are sent when, decided anew with each thing learnt of the path. */
export interface Schedule {
  /** After `send` the packet counts as sent. */
  next(path: Path, nowMs: number): Step;
}
