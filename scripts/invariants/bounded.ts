import {
  acknowledgedRows,
  forgottenTasks,
  lossFinder,
  nonsenseSubjects,
  rejectedRows,
  restoreFinder,
  sentRows,
} from './delivered-rows.js';
import { type History, type HistoryRecordOf, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I7. Memory and disk stay within their bounds, and what has to go for that is said to be gone. */
export const bounded: Invariant = {
  id: 'I7',
  says: 'memory and disk are bounded, and drops are counted',
  evidence: ['gauge', 'durable'],
  check: (history) => [...overBounds(history), ...vanished(history)],
};

function overBounds(history: History): string[] {
  return recordsOf(history, 'gauge')
    .filter(({ value, limit }) => value > limit)
    .map(({ name, of, value, limit }) => `${name} of ${of} is ${value}, the bound is ${limit}`);
}

/**
 * A result on an agent's disk ends in the database or among the numbers that are declared as dropped. A row may have had
 * several numbers, or none that anybody outside has seen: so they are counted for each node.
 */
function vanished(history: History): string[] {
  const missing = new Map<string, string[]>();
  for (const { subject, nodeId } of missingRows(history))
    missing.set(nodeId, [...(missing.get(nodeId) ?? []), subject]);
  return [...missing].flatMap(([nodeId, subjects]) => {
    const declared = recordsOf(history, 'gap')
      .filter((gap) => gap.nodeId === nodeId)
      .reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if (subjects.length <= declared) return [];
    return [
      `${subjects.length} results (${subjects[0]} …) were on the disk of ${nodeId} and are not stored, ${declared} are declared as dropped`,
    ];
  });
}

/** Rows that were on a disk and are not in the database, where nothing excuses that. */
function missingRows(history: History): HistoryRecordOf<'durable'>[] {
  const kept = new Set(recordsOf(history, 'kept').map(({ subject }) => subject));
  const forgotten = forgottenTasks(history);
  const refused = refusedSubjects(history);
  const stillHeld = new Set(recordsOf(history, 'backlog').flatMap(({ nodeId, rows }) => (rows > 0 ? [nodeId] : [])));
  const isRestoredAway = restoreFinder(history);
  const isLostTwice = lossFinder(history);
  const missing = recordsOf(history, 'durable').filter(
    (row) =>
      !kept.has(row.subject) &&
      !forgotten.has(row.subject) &&
      !refused.has(row.subject) &&
      !stillHeld.has(row.nodeId) &&
      !isRestoredAway(row) &&
      !isLostTwice(row),
  );
  if (missing.length === 0) return missing;
  // stored at some time between sending and acknowledgement
  const acknowledged = new Map(acknowledgedRows(history).map((row) => [row.subject, row]));
  return missing.filter(({ subject }) => {
    const row = acknowledged.get(subject);
    return row === undefined || !isLostTwice(row);
  });
}

function refusedSubjects(history: History): Set<string> {
  const refused = rejectedRows(history);
  const rows = sentRows(history).filter(({ lane, sequence }) => refused.has(`${lane} ${sequence}`));
  return new Set([...rows.map(({ subject }) => subject), ...nonsenseSubjects(history)]);
}
