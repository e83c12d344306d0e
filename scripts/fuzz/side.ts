import type { FuzzInput } from './mutations.js';

/** One of the two programs, as far as it listens to the other. */
export interface FuzzSide {
  readonly name: 'control-plane' | 'agent';
  /** Frames of a life without faults, from which inputs are made. */
  readonly seeds: readonly Buffer[];
  /** Stages of a link's life in which an input may come, in order; most come in the last one. */
  readonly stages: readonly string[];
  /** Greatest number of attackers at once; each has its own link. */
  readonly attackers: number;
  /** Sends one input to the real program. @throws FuzzFailure when it neither responds nor closes that link */
  attack(attacker: number, stage: string, input: FuzzInput): Promise<void>;
  /** A link that no one attacks still works, and is the one from the beginning. @throws FuzzFailure */
  checkBystander(): Promise<void>;
  /** Decodes an input as the program does; what that throws is of no interest here. */
  decode(bytes: Buffer): void;
  stop(): Promise<void>;
}
