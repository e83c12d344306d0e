import { type History, type HistoryRecord, type HistoryRecordOf, recordsOf } from './history.js';

/** A row as it went over the wire. */
export interface SentRow {
  readonly nodeId: string;
  readonly subject: string;
  readonly sequence: number;
  /** Names the sequence it is of. */
  readonly lane: string;
  /** Times at which it was sent. */
  readonly sentAt: readonly number[];
}

type LaneOfNode = Pick<HistoryRecordOf<'sent'>, 'nodeId' | 'epoch' | 'lane'>;

/** One name for the sequence of one lane of one spool. */
export function laneKey({ nodeId, epoch, lane }: LaneOfNode): string {
  return `${nodeId} ${epoch} ${lane}`;
}

/** Every row that was ever sent, each number once. */
export function sentRows(history: History): SentRow[] {
  const rows = new Map<string, SentRow>();
  for (const batch of recordsOf(history, 'sent')) {
    batch.subjects.forEach((subject, index) => {
      const sequence = batch.first + index;
      const lane = laneKey(batch);
      const key = rowKey({ lane, sequence, subject });
      const sentAt = [...(rows.get(key)?.sentAt ?? []), batch.at];
      rows.set(key, { nodeId: batch.nodeId, subject, sequence, lane, sentAt });
    });
  }
  return [...rows.values()];
}

/** A row that was acknowledged to an agent as durable. */
export interface AcknowledgedRow extends SentRow {
  /** Time at which it was first acknowledged. */
  readonly at: number;
  /** Time at which it had last been sent: it was stored between the two. */
  readonly since: number;
}

/** Rows that were acknowledged to agents as durable. */
export function acknowledgedRows(history: History): AcknowledgedRow[] {
  const order = new Map(history.records.map((record, index) => [record, index]));
  const acks = new Map<string, HistoryRecordOf<'acknowledged'>[]>();
  const rejected = rejectedRows(history);
  const renumberedAt = renumberings(history, order);
  for (const ack of recordsOf(history, 'acknowledged')) {
    const ofLane = acks.get(laneKey(ack)) ?? [];
    // marks are sent repeatedly: only a higher one matters
    if ((ofLane.at(-1)?.mark ?? 0) < ack.mark) acks.set(laneKey(ack), [...ofLane, ack]);
  }
  return sentRows(history).flatMap((row) => {
    const ack = acks.get(row.lane)?.find(({ mark }) => row.sequence <= mark);
    if (ack === undefined || rejected.has(`${row.lane} ${row.sequence}`)) return [];
    const isOfAnother = (renumberedAt.get(rowKey(row)) ?? Number.POSITIVE_INFINITY) < (order.get(ack) ?? 0);
    if (isOfAnother) return [];
    return [{ ...row, at: ack.at, since: row.sentAt.findLast((at) => at <= ack.at) ?? ack.at }];
  });
}

function rowKey({ lane, sequence, subject }: Pick<SentRow, 'lane' | 'sequence' | 'subject'>): string {
  return `${lane} ${sequence} ${subject}`;
}

type Order = ReadonlyMap<HistoryRecord, number>;

/**
 * Positions in the history from which the number of a row may belong to another row: the row was sent, and then the
 * agent lost it without declaring it, because it died before its disk had the row, or its spool was restored from a
 * copy. Later records of the number refer to the other row. Any other row whose number is used again is unaffected.
 */
function renumberings(history: History, order: Order): Map<string, number> {
  const mayForget = forgetfulMoments(history, order);
  const holders = new Map<string, { readonly key: string; readonly subject: string; readonly sentAt: number }>();
  const moments = new Map<string, number>();
  for (const batch of recordsOf(history, 'sent')) {
    const at = order.get(batch) ?? 0;
    batch.subjects.forEach((subject, index) => {
      const number = { lane: laneKey(batch), sequence: batch.first + index };
      const name = `${number.lane} ${number.sequence}`;
      const before = holders.get(name);
      const key = rowKey({ ...number, subject });
      holders.set(name, { key, subject, sentAt: at });
      // its own row again: a copy of the spool with the row came after one without it
      moments.delete(key);
      if (before === undefined || before.subject === subject) return;
      if (mayForget(batch.nodeId, before.subject, { from: before.sentAt, to: at })) moments.set(before.key, at);
    });
  }
  return moments;
}

/** Returns a function that is true if an agent may have lost a row between two records of the history. */
function forgetfulMoments(history: History, order: Order) {
  const at = (record: HistoryRecord) => order.get(record) ?? 0;
  const durable = new Map(recordsOf(history, 'durable').map((record) => [record.subject, at(record)]));
  const losses = recordsOf(history, 'spool-lost').filter(({ isNoticed }) => isNoticed !== true);
  const ends = recordsOf(history, 'offline');
  return (nodeId: string, subject: string, { from, to }: { readonly from: number; readonly to: number }): boolean => {
    const isWithin = (record: (typeof losses | typeof ends)[number]) =>
      record.nodeId === nodeId && from < at(record) && at(record) < to;
    return losses.some(isWithin) || ((durable.get(subject) ?? to) >= to && ends.some(isWithin));
  };
}

/** Subjects of rows that are no results. That one was refused goes unheard where the acknowledgement that says so is lost. */
export function nonsenseSubjects(history: History): Set<string> {
  return new Set(recordsOf(history, 'nonsense').map(({ subject }) => subject));
}

/** `lane sequence` of rows that were refused by their numbers. */
export function rejectedRows(history: History): Set<string> {
  return new Set(
    recordsOf(history, 'acknowledged').flatMap((ack) => ack.rejected.map((sequence) => `${laneKey(ack)} ${sequence}`)),
  );
}

/** A row that was stored at some time from `since` to `at`; without `since`, at `at`. */
interface StoredWithin {
  readonly nodeId: string;
  /** Absent if its disk had it. */
  readonly subject?: string;
  readonly since?: number;
  readonly at: number;
}

/**
 * True if a row was lost twice: once with the last second that the database lost, and once with the agent's spool,
 * from which it would have been sent again, or with the agent's process, where its disk had not taken it. An
 * acknowledgement may still be in flight when the database is gone.
 */
export function lossFinder(history: History): (row: StoredWithin) => boolean {
  const rollbacks = recordsOf(history, 'database-rolled-back');
  const lostSpools = recordsOf(history, 'spool-lost');
  const ends = recordsOf(history, 'offline');
  const durable = new Set(recordsOf(history, 'durable').map(({ subject }) => subject));
  return (row) => {
    const isUnwritten = row.subject !== undefined && !durable.has(row.subject);
    const losses = isUnwritten ? [...lostSpools, ...ends] : lostSpools;
    return (
      rollbacks.some(({ since, at }) => since <= row.at && (row.since ?? row.at) <= at) &&
      losses.some(({ nodeId, at }) => nodeId === row.nodeId && row.at <= at)
    );
  };
}

/**
 * True if a row may be missing because the spool was restored from a copy, which no one can notice: it was created
 * before the restore, or after it and before the restored spool linked, and its number counts as delivered by the
 * original.
 */
export function restoreFinder(history: History): (row: StoredWithin) => boolean {
  const restored = recordsOf(history, 'spool-lost').filter(({ isNoticed }) => isNoticed !== true);
  const online = recordsOf(history, 'online');
  return (row) =>
    restored.some((loss) => {
      if (loss.nodeId !== row.nodeId) return false;
      return (
        loss.at >= row.at || !online.some(({ nodeId, at }) => nodeId === row.nodeId && loss.at < at && at <= row.at)
      );
    });
}

/** True if a sequence number was declared as dropped, according to the database. */
export function gapFinder(history: History): (row: SentRow) => boolean {
  const gaps = new Map<string, HistoryRecordOf<'gap'>[]>();
  for (const gap of recordsOf(history, 'gap')) gaps.set(laneKey(gap), [...(gaps.get(laneKey(gap)) ?? []), gap]);
  return ({ lane, sequence }) =>
    (gaps.get(lane) ?? []).some(({ first, last }) => first <= sequence && sequence <= last);
}

/** Subjects whose task a database that was rolled back may have forgotten: accepted within what it lost. */
export function forgottenTasks(history: History): Set<string> {
  const rollbacks = recordsOf(history, 'database-rolled-back');
  const known = new Set(recordsOf(history, 'task').map(({ subject }) => subject));
  const isWithin = (at: number) => rollbacks.some((rollback) => rollback.since <= at && at <= rollback.at);
  const forgotten = recordsOf(history, 'accepted').filter(({ at, subject }) => isWithin(at) && !known.has(subject));
  return new Set(forgotten.map(({ subject }) => subject));
}
