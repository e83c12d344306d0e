import type { Lane } from '@vantage/shared/protocol/codec.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { FoundLink, KnownLink } from './known-link.js';
import type { LinkNodeRow, NewSession, SessionRow } from './opening-store.js';
import type { KeyChange, KeyOutcome } from './rotation-store.js';
import type { LinkRecords, RefusedVersion } from './store.js';
import type { UpgradeReport } from './upgrade-store.js';

interface LinkStoreOptions {
  readonly records: LinkRecords;
  readonly replicaId: string;
  /** Makes every replica's directory read these nodes again. */
  readonly announce: (nodeIds: readonly string[]) => Promise<void>;
  /** Stores the place of the node according to its address; absent: it is not stored. Never rejects. */
  readonly place?: (nodeId: string, address: string) => Promise<unknown>;
}

/** Link that is to be the live one of its node. */
interface Opening extends Omit<NewSession, 'replicaId'> {
  readonly address: string;
}

/** Writes of a link about its node, each change announced to all replicas. */
export class LinkStore {
  constructor(private readonly options: LinkStoreOptions) {}

  findNode(nodeId: string): Promise<LinkNodeRow | null> {
    return this.options.records.findNode(nodeId);
  }

  /** `address` is where the agent connects from. */
  async open({ address, ...session }: Opening): Promise<SessionRow | null> {
    const { records, replicaId, announce, place } = this.options;
    const opened = await records.open({ ...session, replicaId });
    if (opened) await place?.(session.nodeId, address);
    if (opened?.is_upgraded) await records.finishUpgrade(session.nodeId);
    // the link is open even if the announcement fails: directories poll too
    if (opened) await announce([session.nodeId]).catch(() => {});
    return opened;
  }

  async close(nodeId: string, sessionId: string, graceMs: number): Promise<void> {
    await this.options.records.close(nodeId, sessionId, graceMs);
    await this.options.announce([nodeId]);
  }

  async quarantine(nodeId: string): Promise<void> {
    await this.options.records.quarantine(nodeId);
    await this.options.announce([nodeId]);
  }

  findLinks(links: readonly KnownLink[]): Promise<FoundLink[]> {
    return this.options.records.findLinks(links);
  }

  findRotationNonce(nodeId: string): Promise<Buffer | null> {
    return this.options.records.findRotationNonce(nodeId);
  }

  async rotateKey(change: KeyChange): Promise<KeyOutcome> {
    const outcome = await this.options.records.changeKey(change);
    // the key is valid even if the announcement fails
    if (outcome.refused === null) await this.options.announce([change.nodeId]).catch(() => {});
    return outcome;
  }

  /** Notes the protocol versions of a refused peer that named this node. */
  async noteRefusedVersion(refused: RefusedVersion): Promise<void> {
    const { records, announce } = this.options;
    if (await records.noteRefusedVersion(refused)) await announce([refused.nodeId]);
  }

  async reportUpgrade(report: UpgradeReport): Promise<void> {
    const isChanged = await this.options.records.reportUpgrade(report);
    if (isChanged) await this.options.announce([report.nodeId]).catch(() => {});
  }

  /** Stores the node's newest self-test, from its live link only. */
  async reportSelfTest(nodeId: string, sessionId: string, report: SelfTestReport): Promise<void> {
    await this.options.records.updateSelfTest(nodeId, sessionId, report);
  }

  ensureMarks(nodeId: string, epoch: Uint8Array): Promise<Record<Lane, number>> {
    return this.options.records.ensureMarks(nodeId, epoch);
  }
}
