import type { FuzzInput } from './mutations.js';

/** One of the two programs, as far as it listens to the other. */
export interface FuzzSide {
  readonly name: 'control-plane' | 'agent';
  /** What it is told in a life without faults: the frames that inputs are made of. */
  readonly seeds: readonly Buffer[];
  /** When an input may come, in the order of a link's life; most come in the last one. */
  readonly stages: readonly string[];
  /** How many attackers there may be at once; each has its own link. */
  readonly attackers: number;
  /** Gives one input to the real program. @throws FuzzFailure when it neither answers nor closes that link */
  attack(attacker: number, stage: string, input: FuzzInput): Promise<void>;
  /** A link that nobody attacks still works, and is the one from the beginning. @throws FuzzFailure */
  checkBystander(): Promise<void>;
  /** Decodes an input as the program does; what that throws is of no interest here. */
  decode(bytes: Buffer): void;
  stop(): Promise<void>;
}
