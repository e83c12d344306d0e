import type { Lane } from '@vantage/shared/protocol/codec.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Knex } from 'knex';
import type { LinkNodeRow, SessionRow } from './store.js';
import { closeSession, ensureMarks, findLinkNode, openSession, quarantineNode, updateSelfTest } from './store.js';

interface LinkStoreOptions {
  readonly db: Knex;
  readonly replicaId: string;
  /** Makes every replica's directory read these nodes again. */
  readonly announce: (nodeIds: readonly string[]) => Promise<void>;
}

/** What a link writes of its node, each change announced to all replicas. */
export class LinkStore {
  constructor(private readonly options: LinkStoreOptions) {}

  findNode(nodeId: string): Promise<LinkNodeRow | null> {
    return findLinkNode(this.options.db, nodeId);
  }

  async open(session: Omit<Parameters<typeof openSession>[1], 'replicaId'>): Promise<SessionRow | null> {
    const { db, replicaId, announce } = this.options;
    const opened = await openSession(db, { ...session, replicaId });
    // open it is, whoever hears of it: directories poll too
    if (opened) await announce([session.nodeId]).catch(() => {});
    return opened;
  }

  async close(nodeId: string, sessionId: string, graceMs: number): Promise<void> {
    await closeSession(this.options.db, nodeId, sessionId, graceMs);
    await this.options.announce([nodeId]);
  }

  async quarantine(nodeId: string): Promise<void> {
    await quarantineNode(this.options.db, nodeId);
    await this.options.announce([nodeId]);
  }

  /** Keeps what a node last said of itself, from its live link only. */
  async reportSelfTest(nodeId: string, sessionId: string, report: SelfTestReport): Promise<void> {
    await updateSelfTest(this.options.db, nodeId, sessionId, report);
  }

  ensureMarks(nodeId: string, epoch: Uint8Array): Promise<Record<Lane, number>> {
    return ensureMarks(this.options.db, nodeId, epoch);
  }
}
