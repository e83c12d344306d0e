import type { DecodedAgentFrame, ServerFrame } from '@vantage/shared/protocol/codec.js';
import { emptyAgentSpool, parseAgentSpool } from '../records/agent-spool.js';
import type { NodeLoad } from '../traffic/jobs-out.js';
import { heartbeatReply } from '../traffic/liveness.js';
import { SelfTestsIn } from '../traffic/self-test.js';
import { KeyRotation } from './key-rotation.js';
import type { LinkPorts } from './link-ports.js';
import type { NodeFacts } from './node-facts.js';
import { LinkUpgrades } from './upgrades.js';

interface NodeWordParts {
  readonly ports: LinkPorts;
  readonly link: () => { readonly nodeId: string; readonly sessionId: string };
  readonly send: (frame: ServerFrame) => void;
  readonly onLoad: (load: NodeLoad) => void;
}

/**
 * Reports of the node of one link about itself, and its replies to requests: heartbeats, self-tests, key changes,
 * upgrades.
 */
export class NodeWord {
  /** The agent's spool at its last heartbeat. */
  spool = emptyAgentSpool;
  /** Time of the last heartbeat, milliseconds since the epoch; 0: never. */
  heardAt = 0;
  readonly #parts: NodeWordParts;
  // created on demand: ten thousand idle links have none of them
  #rotation: KeyRotation | null = null;
  #upgrades: LinkUpgrades | null = null;
  #selfTests: SelfTestsIn | null = null;

  constructor(parts: NodeWordParts) {
    this.#parts = parts;
  }

  /**
   * Takes a frame by which the node reports about itself; `taken` if there is nothing to wait for, null if it is another
   * frame.
   * @throws MalformedFrameError
   */
  take({ keyRotation, upgradeStatus, heartbeat }: DecodedAgentFrame): Promise<void> | 'taken' | null {
    if (keyRotation) return this.#needRotation().take(keyRotation);
    if (upgradeStatus) return this.#needUpgrades().take(upgradeStatus);
    if (!heartbeat) return null;
    this.#onHeartbeat(heartbeat);
    return 'taken';
  }

  /** Sends the node its pending requests. */
  look({ rotationRequestedAt, upgrade }: NodeFacts): void {
    if (rotationRequestedAt !== null) void this.#needRotation().look(rotationRequestedAt);
    if (upgrade !== null || this.#upgrades !== null) this.#needUpgrades().look(upgrade);
  }

  end(): void {
    this.#selfTests?.end();
  }

  #needRotation(): KeyRotation {
    const { ports, link, send } = this.#parts;
    const { store, log, audience } = ports;
    this.#rotation ??= new KeyRotation({ store, link, send, log, audience });
    return this.#rotation;
  }

  #needUpgrades(): LinkUpgrades {
    const { ports, link, send } = this.#parts;
    this.#upgrades ??= new LinkUpgrades({ store: ports.store, link, send, log: ports.log });
    return this.#upgrades;
  }

  #needSelfTests(): SelfTestsIn {
    const { ports, link } = this.#parts;
    const { clock, store, log } = ports;
    this.#selfTests ??= new SelfTestsIn({
      clock,
      store: (report) => store.reportSelfTest(link().nodeId, link().sessionId, report),
      onFailed: (error) => log.warn({ err: error, nodeId: link().nodeId }, 'cannot store the self-test of a node'),
    });
    return this.#selfTests;
  }

  #onHeartbeat(heartbeat: NonNullable<DecodedAgentFrame['heartbeat']>): void {
    if (heartbeat.isReply) return;
    const { ports, send, onLoad } = this.#parts;
    this.spool = parseAgentSpool(heartbeat);
    onLoad(heartbeat);
    this.heardAt = ports.clock.now();
    if (heartbeat.selfTest) this.#needSelfTests().take(heartbeat.selfTest);
    send(heartbeatReply(heartbeat, ports.clock.now()));
  }
}
