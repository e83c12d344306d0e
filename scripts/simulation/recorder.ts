import { type DecodedResult, decodeAgentFrame, decodeServerFrame, laneName } from '@vantage/shared/protocol/codec.js';
import type { HistoryEvents, HistoryRecord, HistoryType } from '../invariants/history.js';
import { subjectOfSlots } from '../invariants/slot-reports.js';
import type { HistoryWriter } from './history-writer.js';
import type { WireTap } from './network.js';
import { subjectOfReading } from './reading-kind.js';
import { WatchWitness } from './watch-witness.js';
import type { World } from './world.js';

// first byte of a frame: the field of its body (proto/link.proto), length-delimited
const RESULTS = (3 << 3) | 2;
const ACK = (5 << 3) | 2;
const ASSIGNMENTS = (13 << 3) | 2;

/** Writes down what happens in a run, for the checkers and for people. */
export class Recorder implements WireTap, HistoryWriter {
  readonly records: HistoryRecord[] = [];
  readonly watches = new WatchWitness(this);
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  add<T extends HistoryType>(type: T, event: HistoryEvents[T], text: string | null = null): void {
    // the arguments were checked against the map of types to records
    this.records.push({ at: this.#world.wallMs, type, ...event } as unknown as HistoryRecord);
    if (text !== null) this.#world.trace.add('nodeId' in event ? event.nodeId.slice(-5) : '', text);
  }

  onSent(nodeId: string, message: Uint8Array): void {
    if (message[0] !== RESULTS) return;
    const batch = decodeAgentFrame(Buffer.from(message)).results;
    if (!batch) return;
    const subjects = batch.results.map((result) => subjectOf(result, nodeId));
    const { first } = batch;
    const lane = laneName(batch.lane);
    const sent = { nodeId, epoch: Buffer.from(batch.epoch).toString('hex'), lane, first, subjects };
    this.add('sent', sent, `sends ${lane} ${first}..${first + subjects.length - 1}`);
  }

  onReceived(nodeId: string, message: Uint8Array): void {
    if (message[0] === ASSIGNMENTS) return this.#hear(nodeId, message);
    if (message[0] !== ACK) return;
    const ack = decodeServerFrame(Buffer.from(message)).ack;
    if (!ack) return;
    const rejected = ack.rejects.map(({ sequence }) => sequence);
    const lane = laneName(ack.lane);
    const acknowledged = { nodeId, epoch: Buffer.from(ack.epoch).toString('hex'), lane, mark: ack.mark, rejected };
    this.add('acknowledged', acknowledged, `hears ${lane} ${ack.mark}${ack.rewind ? ', rewind' : ''}`);
  }

  #hear(nodeId: string, message: Uint8Array): void {
    const { assignments } = decodeServerFrame(Buffer.from(message));
    if (!assignments) return;
    const { set, dropped, begins, ends } = assignments;
    this.watches.hear(nodeId, { set, dropped, isEverything: begins && ends });
  }
}

/** Subject of a row. */
export function subjectOf(result: DecodedResult, nodeId: string): string {
  return subjectOfReading(result) ?? subjectOfSlots(result, nodeId) ?? result.taskId;
}
