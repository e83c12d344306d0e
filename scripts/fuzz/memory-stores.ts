import { firstOf, type StoreBatch, type StoreOutcome } from 'vantage-control/ingest/batch.js';
import type { IngestStore } from 'vantage-control/ingest/ingest-store.js';
import type { LinkRecords } from 'vantage-control/links/records/store.js';

/** A node as links know it. */
export interface MemoryNode {
  readonly id: string;
  /** Raw, 32 bytes. */
  readonly publicKey: Buffer;
  sessionId: string | null;
  generation: number;
  /** Marks by epoch and lane number; those of the newest epoch alone. */
  marks: Map<string, number>;
}

/** Records that links write, kept in memory: the rules of the statements, without a database. */
export class MemoryStores {
  readonly #nodes = new Map<string, MemoryNode>();
  readonly records: LinkRecords = {
    findNode: async (id) => {
      const node = this.#nodes.get(id);
      if (node === undefined) return null;
      const state = { is_banned: false, is_quarantined: false, is_deleted: false };
      return { id, public_key: node.publicKey, generation: node.generation, ...state };
    },
    open: async ({ nodeId, sessionId, generation }) => {
      const node = this.#nodes.get(nodeId);
      if (node === undefined || node.generation >= generation) return null;
      Object.assign(node, { sessionId, generation });
      return { revision: generation, boot_opening: 0, is_upgraded: false };
    },
    close: async (nodeId, sessionId) => {
      const node = this.#nodes.get(nodeId);
      if (node?.sessionId === sessionId) node.sessionId = null;
    },
    quarantine: async () => undefined,
    noteRefusedVersion: async () => false,
    updateSelfTest: async () => undefined,
    findLinks: async () => [],
    findRotationNonce: async () => null,
    changeKey: async () => ({ publicKey: Buffer.alloc(32), refused: 'nobody asked' }),
    reportUpgrade: async () => false,
    finishUpgrade: async () => false,
    ensureMarks: async (nodeId, epoch) => {
      const node = this.#nodes.get(nodeId);
      const key = Buffer.from(epoch).toString('hex');
      if (node !== undefined && !node.marks.has(`${key} 1`))
        node.marks = new Map([1, 2].map((lane) => [`${key} ${lane}`, 0]));
      return { task: node?.marks.get(`${key} 1`) ?? 0, check: node?.marks.get(`${key} 2`) ?? 0 };
    },
  };
  readonly ingest: IngestStore = {
    storeBatches: async (batches) => batches.map((batch) => this.#store(batch)),
    storeRowByRow: async (batch) => this.#store(batch),
    storeGap: async (gap) => this.#store(gap),
  };

  add(id: string, publicKey: Buffer): void {
    this.#nodes.set(id, { id, publicKey, sessionId: null, generation: 0, marks: new Map() });
  }

  #store(batch: StoreBatch): StoreOutcome {
    const { nodeId, sessionId, epoch, lane, last } = batch;
    const node = this.#nodes.get(nodeId);
    const key = `${epoch.toString('hex')} ${lane}`;
    const mark = node?.marks.get(key);
    if (node === undefined || mark === undefined || node.sessionId !== sessionId) return { kind: 'refused' };
    if (firstOf(batch) > mark + 1) return { kind: 'gap', mark };
    node.marks.set(key, Math.max(mark, last));
    return { kind: 'stored', mark: Math.max(mark, last), previousMark: mark, finished: [] };
  }
}
