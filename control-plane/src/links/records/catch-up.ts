import {
  type DecodedAgentFrame,
  findLaneName,
  type Lane,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';

/** Sequence numbers, one per lane. */
export type LaneNumbers = Readonly<Record<Lane, number>>;

/** Highest number that the agent ever assigned in its epoch, by lane. @throws MalformedFrameError */
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

/** Results that a node held when it connected and has still to deliver. */
export class CatchUp {
  /** Last sequence number that is missing, by lane; 0: the lane is complete. */
  readonly #missing: Record<Lane, number> = { task: 0, check: 0 };

  /** `marks`: highest stored sequence number of each lane, of the epoch that the node delivers from. */
  constructor(marks: LaneNumbers, held: LaneNumbers) {
    for (const lane of lanes) if (marks[lane] < held[lane]) this.#missing[lane] = held[lane];
  }

  get isDone(): boolean {
    return lanes.every((lane) => this.#missing[lane] === 0);
  }

  /** Notes that a lane is stored up to `mark`. @returns whether this completes all lanes */
  reach(lane: Lane, mark: number): boolean {
    if (this.isDone || mark < this.#missing[lane]) return false;
    this.#missing[lane] = 0;
    return this.isDone;
  }
}
