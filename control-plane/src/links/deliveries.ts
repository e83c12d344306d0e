import {
  type DecodedAgentFrame,
  type Lane,
  laneCode,
  lanes,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { CatchUp, type LaneNumbers } from './catch-up.js';
import type { FrameSocket } from './frame-socket.js';
import type { LinkPorts } from './link-ports.js';
import type { OpenedLink } from './opening.js';
import { ResultsIn } from './results-in.js';
import { StatesIn } from './states-in.js';

type CreditList = NonNullable<NonNullable<ServerFrame['credits']>['credits']>;

interface DeliveriesParts {
  readonly ports: LinkPorts;
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  readonly opened: OpenedLink;
  readonly frames: FrameSocket;
  readonly onAnswered: (taskId: string) => void;
  /** The database took nothing over this link any more. */
  readonly onRefused: () => void;
  /** The database has another live link of the node. */
  readonly onReplaced: () => void;
  readonly onCaughtUp: () => void;
}

/** What the node of one open link delivers, results and newest states, and how much of it may be in flight. */
export class Deliveries {
  readonly #frames: FrameSocket;
  readonly #results: ResultsIn;
  readonly #states: StatesIn;
  /** Rows in flight that the agent knows it may have. */
  #granted: LaneNumbers;

  constructor(parts: DeliveriesParts) {
    this.#frames = parts.frames;
    this.#results = takeResults(parts);
    this.#states = takeStates(parts);
    this.#granted = parts.ports.flow.initial;
  }

  /** What the database last said it has, of which spool. */
  get stored(): ResultsIn['stored'] {
    return this.#results.stored;
  }

  /** Whether nothing the node held when it connected is missing any more. */
  get isCaughtUp(): boolean {
    return this.#results.isCaughtUp;
  }

  /** As a welcome tells it. */
  get credits(): CreditList {
    return creditList(this.#granted, lanes);
  }

  /** Takes a frame that delivers something; null: this one does not. @throws MalformedFrameError */
  take({ results, dropped, states }: DecodedAgentFrame): Promise<void> | null {
    if (results) return this.#results.takeBatch(results);
    if (dropped) return this.#results.takeDropped(dropped);
    return states ? this.#states.take(states) : null;
  }

  /** Tells the agent how many rows it may have in flight, if that is news; one that does not read is told later. */
  grant(credits: LaneNumbers): boolean {
    const changed = lanes.filter((lane) => credits[lane] !== this.#granted[lane]);
    if (changed.length === 0 || this.#frames.isBehind) return false;
    this.#granted = credits;
    this.#frames.send({ credits: { credits: creditList(credits, changed) } });
    return true;
  }

  /** Resolves when all that came is stored or has failed. */
  async settled(): Promise<void> {
    await this.#results.settled();
    await this.#states.settled();
  }
}

function takeResults({ ports, link, opened, frames, ...parts }: DeliveriesParts): ResultsIn {
  return new ResultsIn({
    ingest: ports.ingest,
    link,
    epoch: opened.epoch,
    marks: opened.marks,
    catchUp: new CatchUp(opened.marks, opened.held),
    storage: ports.storage,
    hold: (bytes, work) => frames.hold(bytes, work),
    spend: (ms) => frames.spend(ms),
    send: (frame: ServerFrame) => frames.send(frame),
    onAnswered: parts.onAnswered,
    onReplaced: parts.onRefused,
    onCaughtUp: parts.onCaughtUp,
  });
}

function takeStates({ ports, link, frames, onReplaced }: DeliveriesParts): StatesIn {
  return new StatesIn({
    ports: ports.states,
    link,
    clock: ports.clock,
    hold: (bytes, work) => frames.hold(bytes, work),
    onReplaced,
  });
}

function creditList(credits: LaneNumbers, named: readonly Lane[]): CreditList {
  return named.map((lane) => ({ lane: laneCode(lane), rows: credits[lane] }));
}
