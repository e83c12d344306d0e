import {
  type DecodedAgentFrame,
  findLaneName,
  type Lane,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';

/** Sequence numbers, one per lane. */
export type LaneNumbers = Readonly<Record<Lane, number>>;

/** Highest number per lane the agent ever assigned in its epoch. @throws MalformedFrameError */
export function heldNumbers(states: NonNullable<DecodedAgentFrame['proof']>['lanes']): LaneNumbers {
  const held: Record<Lane, number> = { task: 0, check: 0 };
  for (const state of states) {
    const last = state.last ?? 0;
    if (!Number.isSafeInteger(last)) throw new MalformedFrameError('sequence out of range');
    const lane = findLaneName(state.lane);
    if (lane !== null) held[lane] = last;
  }
  return held;
}

/** What a node held when it connected and still has to deliver. */
export class CatchUp {
  /** Up to which number, 0 for a lane that is complete. */
  readonly #missing: Record<Lane, number> = { task: 0, check: 0 };

  /** `marks`: up to where is stored what the node held. */
  constructor(marks: LaneNumbers, held: LaneNumbers) {
    for (const lane of lanes) if (marks[lane] < held[lane]) this.#missing[lane] = held[lane];
  }

  get isDone(): boolean {
    return lanes.every((lane) => this.#missing[lane] === 0);
  }

  /** A lane is stored up to `mark` now. @returns whether with that everything is */
  reach(lane: Lane, mark: number): boolean {
    if (this.isDone || mark < this.#missing[lane]) return false;
    this.#missing[lane] = 0;
    return this.isDone;
  }
}
