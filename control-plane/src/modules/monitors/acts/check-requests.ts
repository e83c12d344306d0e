import { randomUUID } from 'node:crypto';
import type { Bus } from '../../../bus/bus.js';

/** Request for an immediate check by a node. */
export interface CheckRequest {
  readonly nodeId: string;
  readonly monitorId: string;
  /** Generation of the assignment. */
  readonly generation: number;
  /** Id of the request, which the report repeats. */
  readonly request: string;
}

/** Part of a node's link that takes requests for checks. */
export interface AskedLink {
  askForCheck(monitorId: string, generation: number, request: string): void;
}

interface CheckRequestsOptions {
  readonly bus: Bus;
  /** Finds the link of a node; null if this replica does not hold it. */
  readonly findLink: (nodeId: string) => AskedLink | null;
}

/** Requests immediate checks from nodes, on any replica that holds their links. A lost request is not reported. */
export class CheckRequests {
  constructor(private readonly options: CheckRequestsOptions) {}

  start(): void {
    this.options.bus.onMessage((message) => {
      if (message.type === 'check-now') for (const id of message.ids) this.#pass(parse(id));
    });
  }

  stop(): void {}

  /** Asks the nodes of these assignments. */
  ask(assignments: readonly Omit<CheckRequest, 'request'>[]): void {
    const asked = assignments.map((assignment) => ({ ...assignment, request: randomUUID() }));
    const elsewhere = asked.filter((one) => !this.#pass(one));
    if (elsewhere.length > 0) this.options.bus.broadcast({ type: 'check-now', ids: elsewhere.map(format) });
  }

  /** @returns true if this replica holds the link of the node */
  #pass(asked: CheckRequest | null): boolean {
    const link = asked === null ? null : this.options.findLink(asked.nodeId);
    if (asked === null || link === null) return false;
    link.askForCheck(asked.monitorId, asked.generation, asked.request);
    return true;
  }
}

function format({ nodeId, monitorId, generation, request }: CheckRequest): string {
  return [nodeId, monitorId, generation, request].join(' ');
}

function parse(text: string): CheckRequest | null {
  const [nodeId, monitorId, generation, request] = text.split(' ');
  if (nodeId === undefined || monitorId === undefined || request === undefined) return null;
  return { nodeId, monitorId, generation: Number(generation), request };
}
