import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { upgradeStatusStates } from '@vantage/shared/protocol/upgrade-version.js';
import type { Logger } from 'pino';
import type { LinkStore } from './link-store.js';

//   requested ──running──> running ──hello with that version──> done
//       │                     │                                  ^
//       └── refused, failed, 15 min ──> failed ──────────────────┘
//
// The row of the node says what is wished for: the replica that holds the link, now or later, passes it on, once over each link
// until it is answered. What a node answers to a wish that has ended meanwhile is passed over.

const MAX_REASON_LENGTH = 300;

/** A node's upgrade, as its record has it. */
export interface WishedUpgrade {
  readonly version: string;
  readonly state: 'requested' | 'running' | 'done' | 'failed';
  readonly requestedAt: Date;
}

interface LinkUpgradesParts {
  readonly store: Pick<LinkStore, 'reportUpgrade'>;
  /** Of the link, once it is open. */
  readonly link: () => { readonly nodeId: string; readonly sessionId: string };
  readonly send: (frame: ServerFrame) => void;
  readonly log: Logger;
}

/** The control plane's side of upgrades, on one link. */
export class LinkUpgrades {
  readonly #parts: LinkUpgradesParts;
  #sent: number | null = null;
  /** What has no end yet. */
  #pending: WishedUpgrade | null = null;

  constructor(parts: LinkUpgradesParts) {
    this.#parts = parts;
  }

  /** Passes a wish on, once. */
  look(upgrade: WishedUpgrade | null): void {
    this.#pending = upgrade?.state === 'requested' || upgrade?.state === 'running' ? upgrade : null;
    if (upgrade?.state !== 'requested') return;
    const request = upgrade.requestedAt.getTime();
    if (request === this.#sent) return;
    this.#sent = request;
    this.#parts.send({ upgrade: { version: upgrade.version, request } });
  }

  /** @throws MalformedFrameError for a state that is none */
  async take({ state, detail, request }: NonNullable<DecodedAgentFrame['upgradeStatus']>): Promise<void> {
    if (!upgradeStatusStates.some((known) => known === state))
      throw new MalformedFrameError('unknown state of an upgrade');
    const pending = this.#pending;
    if (pending === null || pending.requestedAt.getTime() !== request) return;
    if (state === 'running' && pending.state === 'running') return;
    this.#pending = state === 'running' ? { ...pending, state } : null;
    const { store, link, log } = this.#parts;
    const { nodeId, sessionId } = link();
    const failure = state === 'running' ? null : printable(detail) || 'the node gave no reason';
    log.info({ nodeId, version: pending.version, state, reason: failure ?? undefined }, 'node answered to an upgrade');
    await store.reportUpgrade({ nodeId, sessionId, requestedAt: pending.requestedAt, failure });
  }
}

function printable(text: string): string {
  return text.slice(0, MAX_REASON_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}
