import { nonsenseSubjects } from './delivered-rows.js';
import { type History, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I2. A result is stored once, by the node whose task it was; and a task is measured once by whoever has it. */
export const storedOnce: Invariant = {
  id: 'I2',
  says: 'one row for each result, and each task is measured once',
  evidence: ['kept', 'started'],
  check: (history) => [
    ...storedTwice(history),
    ...storedFromNothing(history),
    ...storedNonsense(history),
    ...measuredTwice(history),
  ],
};

function storedTwice(history: History): string[] {
  const results = recordsOf(history, 'kept').filter((row) => row.as === 'result');
  return repeated(results.map(({ subject }) => subject)).map((subject) => `${subject} is stored more than once`);
}

function storedFromNothing(history: History): string[] {
  const produced = new Set(recordsOf(history, 'produced').map(({ subject, nodeId }) => `${subject} ${nodeId}`));
  if (produced.size === 0) return [];
  return recordsOf(history, 'kept')
    .filter(({ subject, nodeId }) => !produced.has(`${subject} ${nodeId}`))
    .map(({ subject, nodeId }) => `${subject} is stored for ${nodeId}, which never measured it`);
}

function storedNonsense(history: History): string[] {
  const nonsense = nonsenseSubjects(history);
  const kept = recordsOf(history, 'kept').filter(({ subject, as }) => as !== 'dead-letter' && nonsense.has(subject));
  return kept.map(({ subject }) => `${subject} is stored and is not a result`);
}

function measuredTwice(history: History): string[] {
  const started = recordsOf(history, 'started');
  return repeated(started.map(({ subject }) => subject)).map((subject) => `${subject} was measured more than once`);
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = values.filter((value) => seen.size === seen.add(value).size);
  return [...new Set(twice)];
}
