import { until } from '@vantage/shared/_support/until.js';
import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import type { CheckOutcome, NodeVerdict } from '@vantage/shared/monitor-state/node-reducer.js';
import type { AssignmentSpec } from '@vantage/shared/monitor-types/assignment.js';
import type { Test } from 'tap';
import { type Declared, enrollPeer, PeerAgent, type PeerIdentity, type PeerOptions } from './peer-agent.js';
import type { TestApi } from './stack.js';

/** An assignment as the node received it. */
export interface HeldAssignment {
  readonly generation: number;
  readonly spec: AssignmentSpec;
}

/** A node controlled by the test, which reports whatever the test wants about its monitors. */
export class CheckingNode {
  #rows = 0;

  private constructor(
    readonly identity: PeerIdentity,
    readonly peer: PeerAgent,
  ) {}

  /** Enrolls a new node and links it. */
  static async join(t: Test, api: TestApi, declared: Declared = {}): Promise<CheckingNode> {
    return CheckingNode.link(t, api.url, await enrollPeer(api, { declared }));
  }

  /** Links an enrolled node, which sends heartbeats: a test may let a minute pass between two checks. */
  static async link(t: Test, url: string, identity: PeerIdentity, options: PeerOptions = {}): Promise<CheckingNode> {
    return new CheckingNode(identity, await PeerAgent.connect(t, url, identity, { ...options }));
  }

  get nodeId(): string {
    return this.identity.nodeId;
  }

  /** Current assignments of the node by monitor, derived from the frames it received. */
  get assignments(): ReadonlyMap<string, HeldAssignment> {
    const held = new Map<string, HeldAssignment>();
    for (const { assignments } of this.peer.frames) {
      if (!assignments) continue;
      if (assignments.begins) held.clear();
      for (const { monitorId, generation, specJson } of assignments.set)
        held.set(monitorId, { generation, spec: JSON.parse(Buffer.from(specJson).toString()) });
      for (const monitorId of assignments.dropped) held.delete(monitorId);
    }
    return held;
  }

  /** Waits until a monitor is assigned to the node; if a generation is named, until the assignment has another one. */
  async waitForAssignment(monitorId: string, before?: number): Promise<HeldAssignment> {
    const found = () => {
      const held = this.assignments.get(monitorId);
      return held === undefined || held.generation === before ? undefined : held;
    };
    await until('the assignment', () => found() !== undefined);
    return found() as HeldAssignment;
  }

  /** Delivers a check; `fields` override the defaults of its report. */
  check(monitorId: string, says: CheckOutcome | Partial<CheckReport> = 'ok'): CheckReport {
    const report = this.reportOf(monitorId, says);
    this.deliver('check', report);
    return report;
  }

  /** Builds the report of a check. */
  reportOf(monitorId: string, says: CheckOutcome | Partial<CheckReport> = 'ok'): CheckReport {
    const fields = typeof says === 'string' ? { outcome: says } : says;
    const outcome = fields.outcome ?? 'ok';
    const slotMs = fields.slot_ms ?? Date.now();
    const verdict: NodeVerdict = outcome === 'failed' ? 'failing' : outcome;
    return {
      monitor_id: monitorId,
      generation: this.assignments.get(monitorId)?.generation ?? 0,
      slot_ms: slotMs,
      late_ms: 3,
      outcome,
      response_ms: outcome === 'failed' ? null : 12.5,
      status_code: null,
      error: outcome === 'ok' ? null : { code: 'tcp_refused', message: 'nobody listens there' },
      state: { verdict, since_ms: slotMs, streak: 2 },
      through_ms: slotMs,
      ...fields,
    };
  }

  /** Resolves when everything that was delivered is stored. */
  async stored(): Promise<void> {
    const last = this.#rows;
    await this.peer.waitFor('the acknowledgement', ({ ack }) => ack !== null && ack.mark >= last);
  }

  /** Delivers a row of a kind. */
  deliver(kind: string, body: object): void {
    this.deliverFrom(this.#rows + 1, kind, body);
  }

  /** Delivers a row under a given number, as a node does that continues an earlier spool. */
  deliverFrom(row: number, kind: string, body: object): void {
    this.#rows = row;
    const result = { kind, resultJson: Buffer.from(JSON.stringify(body)), finishedAtMs: Date.now() };
    this.peer.sendResults([result], this.#rows, 'check');
  }
}
