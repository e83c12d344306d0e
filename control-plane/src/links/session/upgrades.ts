import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { upgradeStatusStates } from '@vantage/shared/protocol/upgrade-version.js';
import type { Logger } from 'pino';
import type { LinkStore } from '../records/link-store.js';
import type { WishedUpgrade } from './node-facts.js';

//   requested ──running──> running ──hello with that version──> done
//       │                     │                                  ^
//       └── refused, failed, 15 min ──> failed ──────────────────┘
//
// The row of the node has the requested version: the replica that holds the link, now or later, sends it, once over
// each link until there is a reply. A reply to a request that has ended meanwhile is ignored.

const MAX_REASON_LENGTH = 300;

interface LinkUpgradesParts {
  readonly store: Pick<LinkStore, 'reportUpgrade'>;
  /** Node and session of the link, once it is open. */
  readonly link: () => { readonly nodeId: string; readonly sessionId: string };
  readonly send: (frame: ServerFrame) => void;
  readonly log: Logger;
}

/** Server side of upgrades, on one link. */
export class LinkUpgrades {
  readonly #parts: LinkUpgradesParts;
  #sent: number | null = null;
  /** Upgrade that has not ended yet. */
  #pending: WishedUpgrade | null = null;

  constructor(parts: LinkUpgradesParts) {
    this.#parts = parts;
  }

  /** Sends an upgrade request to the node, once. */
  look(upgrade: WishedUpgrade | null): void {
    this.#pending = upgrade?.state === 'requested' || upgrade?.state === 'running' ? upgrade : null;
    if (upgrade?.state !== 'requested') return;
    const request = upgrade.requestedAt.getTime();
    if (request === this.#sent) return;
    this.#sent = request;
    this.#parts.send({ upgrade: { version: upgrade.version, request } });
  }

  /** @throws MalformedFrameError for an unknown state */
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
    log.info(
      { nodeId, version: pending.version, state, reason: failure ?? undefined },
      'node reported the state of an upgrade',
    );
    await store.reportUpgrade({ nodeId, sessionId, requestedAt: pending.requestedAt, failure });
  }
}

function printable(text: string): string {
  return text.slice(0, MAX_REASON_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}
