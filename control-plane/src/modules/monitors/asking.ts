import { randomUUID } from 'node:crypto';
import type { Bus } from '../../bus/bus.js';

/** What a node is asked to check at once. */
export interface Asked {
  readonly nodeId: string;
  readonly monitorId: string;
  /** Of the assignment it is asked under. */
  readonly generation: number;
  /** Names the question; the report repeats it. */
  readonly request: string;
}

/** The link of a node, as far as it takes questions. */
export interface AskedLink {
  askForCheck(monitorId: string, generation: number, request: string): void;
}

interface AskingOptions {
  readonly bus: Bus;
  /** The link of a node, if this replica holds it. */
  readonly findLink: (nodeId: string) => AskedLink | null;
}

/** Asks nodes to check a monitor at once, whichever replica holds their links. Nobody hears of a question that is lost. */
export class Asking {
  constructor(private readonly options: AskingOptions) {}

  start(): void {
    this.options.bus.onMessage((message) => {
      if (message.type === 'check-now') for (const id of message.ids) this.#pass(parse(id));
    });
  }

  stop(): void {}

  /** Asks the nodes of these assignments. */
  ask(assignments: readonly Omit<Asked, 'request'>[]): void {
    const asked = assignments.map((assignment) => ({ ...assignment, request: randomUUID() }));
    const elsewhere = asked.filter((one) => !this.#pass(one));
    if (elsewhere.length > 0) this.options.bus.broadcast({ type: 'check-now', ids: elsewhere.map(format) });
  }

  /** @returns whether its link is here */
  #pass(asked: Asked | null): boolean {
    const link = asked === null ? null : this.options.findLink(asked.nodeId);
    if (asked === null || link === null) return false;
    link.askForCheck(asked.monitorId, asked.generation, asked.request);
    return true;
  }
}

function format({ nodeId, monitorId, generation, request }: Asked): string {
  return [nodeId, monitorId, generation, request].join(' ');
}

function parse(text: string): Asked | null {
  const [nodeId, monitorId, generation, request] = text.split(' ');
  if (nodeId === undefined || monitorId === undefined || request === undefined) return null;
  return { nodeId, monitorId, generation: Number(generation), request };
}
