import {
  type DecodedAgentFrame,
  type Lane,
  laneCode,
  lanes,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { CatchUp, type LaneNumbers } from '../records/catch-up.js';
import type { FrameSocket } from '../sockets/frame-socket.js';
import { ResultsIn } from '../traffic/results-in.js';
import { StatesIn } from '../traffic/states-in.js';
import type { LinkPorts } from './link-ports.js';
import type { OpenedLink } from './opening.js';

type CreditList = NonNullable<NonNullable<ServerFrame['credits']>['credits']>;

interface DeliveriesParts {
  readonly ports: LinkPorts;
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  readonly opened: OpenedLink;
  readonly frames: FrameSocket;
  readonly onAnswered: (taskId: string) => void;
  /** Called if results are not accepted over this link any more: the node is banned, or has another live link. */
  readonly onRefused: () => void;
  /** Called if states are not accepted: the database has another live link of the node. */
  readonly onReplaced: () => void;
  readonly onCaughtUp: () => void;
}

/** Deliveries of the node of one open link: results and newest states, and the number of rows that may be in flight. */
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

  /** Epoch of the node's spool and its marks, as the database last confirmed them. */
  get stored(): ResultsIn['stored'] {
    return this.#results.stored;
  }

  /** True if everything the node held when it connected is stored. */
  get isCaughtUp(): boolean {
    return this.#results.isCaughtUp;
  }

  /** Credits as a welcome sends them. */
  get credits(): CreditList {
    return creditList(this.#granted, lanes);
  }

  /** Takes a frame that delivers something; null if this one does not. @throws MalformedFrameError */
  take({ results, dropped, states }: DecodedAgentFrame): Promise<void> | null {
    if (results) return this.#results.takeBatch(results);
    if (dropped) return this.#results.takeDropped(dropped);
    return states ? this.#states.take(states) : null;
  }

  /**
   * Sends the agent the number of rows it may have in flight, if that changes; one that does not read gets it later.
   */
  grant(credits: LaneNumbers): boolean {
    const changed = lanes.filter((lane) => credits[lane] !== this.#granted[lane]);
    if (changed.length === 0 || this.#frames.isBehind) return false;
    this.#granted = credits;
    this.#frames.send({ credits: { credits: creditList(credits, changed) } });
    return true;
  }

  /** Resolves when everything received is stored or has failed. */
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
    onRefused: parts.onRefused,
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
