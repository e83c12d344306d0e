import type { ResultMessage } from '@vantage/shared/protocol/codec.js';
import { ownKind, type ResultKind, taskResults } from 'vantage-control/ingest/index.js';
import { monitorKinds } from 'vantage-control/modules/monitors/checks/check-kinds.js';

/** Result that a node sends now and then without a task: a second kind of result, in the lane of checks. */
export interface Reading {
  /** Names it, and nothing else has that name. */
  readonly subject: string;
  readonly value: number;
}

/**
 * Table of readings in PostgreSQL, for comparison with the tables in memory. It has no constraint against duplicates.
 */
export const READINGS_TABLE =
  'CREATE TABLE readings (node_id text NOT NULL, subject text NOT NULL, value int NOT NULL)';

/** Value that no valid reading has. */
export const MALFORMED_VALUE = 0.5;

/** True if the body is a reading; a node also delivers others. */
export function isReading(body: unknown): body is Reading {
  if (typeof body !== 'object' || body === null || !('subject' in body) || !('value' in body)) return false;
  return typeof body.subject === 'string' && Number.isInteger(body.value);
}

/** A reading as it goes over the wire; `value` makes it none when it is no whole number. */
export function readingMessage(subject: string, value: number): ResultMessage {
  return { kind: 'reading', resultJson: Buffer.from(JSON.stringify({ subject, value })) };
}

/** Subject of a message of that kind; null if it is no result of that kind. */
export function subjectOfReading({ kind, resultJson }: ResultMessage): string | null {
  if (kind !== 'reading') return null;
  const { subject } = JSON.parse(Buffer.from(resultJson ?? []).toString()) as Reading;
  return subject;
}

const readings = ownKind<Reading>({
  name: 'reading',
  lane: 'check',
  parse: ({ resultJson }) => {
    const text = Buffer.from(resultJson ?? []).toString();
    const body: unknown = JSON.parse(text);
    if (!isReading(body)) return { reject: 'malformed' };
    return { body, probeType: 'reading', outcome: 'success', resultJson: text };
  },
  store: async (trx, rows) => {
    await trx('readings').insert(rows.map(({ nodeId, body }) => ({ node_id: nodeId, ...body })));
    return () => undefined;
  },
});

/** Retention by plan; short, because nothing is kept for long here. */
const KEPT_FOR = { anonymous: 7, free: 7, pro: 7, business: 7, unlimited: 7 };

/** Kinds of results in a simulation. Monitors are not judged there. */
export const simulatedKinds: readonly ResultKind[] = [
  taskResults,
  readings,
  ...monitorKinds({
    keptFor: KEPT_FOR,
    onDue: () => undefined,
    counts: { countCheck: () => undefined, countMissed: () => undefined },
    allowance: { fitting: async (_db, rows) => rows, spend: () => undefined },
  }),
];
