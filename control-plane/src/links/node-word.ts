import type { DecodedAgentFrame, ServerFrame } from '@vantage/shared/protocol/codec.js';
import { emptyAgentSpool, parseAgentSpool } from './agent-spool.js';
import type { NodeNews } from './fencing.js';
import type { NodeLoad } from './jobs-out.js';
import { KeyRotation } from './key-rotation.js';
import type { LinkPorts } from './link-ports.js';
import { heartbeatReply } from './liveness.js';
import { SelfTestsIn } from './self-test.js';
import { LinkUpgrades } from './upgrades.js';

interface NodeWordParts {
  readonly ports: LinkPorts;
  readonly link: () => { readonly nodeId: string; readonly sessionId: string };
  readonly send: (frame: ServerFrame) => void;
  readonly onLoad: (load: NodeLoad) => void;
}

/** What the node of one link says of itself, and does when it is asked: heartbeats, self-tests, another key, an upgrade. */
export class NodeWord {
  /** The agent's spool at its last heartbeat. */
  spool = emptyAgentSpool;
  /** When that was, milliseconds since the epoch; 0: never. */
  heardAt = 0;
  readonly #parts: NodeWordParts;
  // made when they have something to do: ten thousand links keep none of them
  #rotation: KeyRotation | null = null;
  #upgrades: LinkUpgrades | null = null;
  #selfTests: SelfTestsIn | null = null;

  constructor(parts: NodeWordParts) {
    this.#parts = parts;
  }

  /**
   * Takes a frame by which the node says something of itself; `taken`: nothing is left to wait for; null: this frame is none.
   * @throws MalformedFrameError
   */
  take({ keyRotation, upgradeStatus, heartbeat }: DecodedAgentFrame): Promise<void> | 'taken' | null {
    if (keyRotation) return this.#needRotation().take(keyRotation);
    if (upgradeStatus) return this.#needUpgrades().take(upgradeStatus);
    if (!heartbeat) return null;
    this.#onHeartbeat(heartbeat);
    return 'taken';
  }

  /** Passes on what the node is asked for. */
  look({ rotationRequestedAt, upgrade }: NodeNews): void {
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
      onFailed: (error) => log.warn({ err: error, nodeId: link().nodeId }, 'self-test of a node not stored'),
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
