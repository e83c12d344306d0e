import type { Packet, Path } from './path.js';

/** Next step: send a packet, send nothing before a moment (monotonic milliseconds), or send nothing any more. */
export type Step =
  | { readonly kind: 'send'; readonly packet: Packet }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'done' };

/** Decides which packets are sent when, again after each thing learnt about the path. */
export interface Schedule {
  /** Next step; after `send` the packet counts as sent. */
  next(path: Path, nowMs: number): Step;
}
