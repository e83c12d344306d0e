import { forgottenTasks, nonsenseSubjects } from './delivered-rows.js';
import { type History, type HistoryRecordOf, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I1, of tasks. What was accepted is known at the end, but for what a rolled back database has forgotten. */
export const acceptedIsKnown: Invariant = {
  id: 'I1',
  says: 'a task that was accepted is known',
  evidence: ['accepted'],
  check: (history) => {
    const known = new Set(recordsOf(history, 'task').map(({ subject }) => subject));
    const forgotten = forgottenTasks(history);
    return recordsOf(history, 'accepted')
      .filter(({ subject }) => !known.has(subject) && !forgotten.has(subject))
      .map(({ subject }) => `${subject} was accepted and is unknown`);
  },
};

/** Ends of a task that lacks its node; a real result may come after them. */
const givenUp = new Set(['node_lost', 'timeout']);

/** I1, of readers. A result that a caller has read stays what it is. */
export const readIsFinal: Invariant = {
  id: 'I1',
  says: 'a result that was read does not change',
  evidence: ['read'],
  check: (history) => {
    const tasks = new Map(recordsOf(history, 'task').map((task) => [task.subject, task]));
    const forgotten = forgottenTasks(history);
    return recordsOf(history, 'read')
      .filter(({ subject, outcome }) => !givenUp.has(outcome) && !forgotten.has(subject))
      .filter(({ subject, outcome }) => tasks.has(subject) && tasks.get(subject)?.outcome !== outcome)
      .map(({ subject, outcome }) => `${subject} was read as "${outcome}" and is now "${tasks.get(subject)?.outcome}"`);
  },
};

/** I2. A result is stored once, by the node whose task it was; and a task is measured once by the node that has it. */
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

/** I3, of what checks come to. What was there all the time never was down, whatever broke around it. */
export const noFalseEvents: Invariant = {
  id: 'I3',
  says: 'a target that was always available has no event',
  evidence: ['slots'],
  check: (history) =>
    recordsOf(history, 'event').map(({ monitorId, startedAt, endedAt, what }) => {
      const until = endedAt === null ? 'and is open' : `to ${new Date(endedAt).toISOString()}`;
      return `an event of ${monitorId}, which was always available, is from ${new Date(startedAt).toISOString()} ${until} (${what})`;
    }),
};

/** I5. While a node is banned nothing of it is committed, on any replica. */
export const banHolds: Invariant = {
  id: 'I5',
  says: 'no row of a banned node is committed after the ban',
  evidence: ['banned'],
  check: (history) => {
    const unbanned = recordsOf(history, 'unbanned');
    const rollbacks = recordsOf(history, 'database-rolled-back');
    // a ban that a failover lost does not count
    const isLost = ({ at }: { at: number }) => rollbacks.some((rollback) => rollback.since <= at && at <= rollback.at);
    const kept = recordsOf(history, 'banned').filter((ban) => !isLost(ban));
    const bans = kept.map((ban) => ({
      nodeId: ban.nodeId,
      from: ban.at,
      to: endOf(ban, unbanned),
    }));
    return recordsOf(history, 'kept')
      .filter((row) =>
        bans.some(({ nodeId, from, to }) => nodeId === row.nodeId && from < row.storedAt && row.storedAt < to),
      )
      .map(({ subject, nodeId }) => `${subject} of ${nodeId} was stored while the node was banned`);
  },
};

function endOf(ban: HistoryRecordOf<'banned'>, unbanned: readonly HistoryRecordOf<'unbanned'>[]): number {
  const lifted = unbanned.filter(({ nodeId, at }) => nodeId === ban.nodeId && at >= ban.at).map(({ at }) => at);
  return Math.min(Number.POSITIVE_INFINITY, ...lifted);
}

/** I6. An enrollment token lets in one key, however often and wherever it is used. */
export const tokenUsedOnce: Invariant = {
  id: 'I6',
  says: 'a token is used at most once',
  evidence: ['token-used'],
  check: (history) => {
    const keys = new Map<string, Set<string>>();
    for (const { token, publicKey } of recordsOf(history, 'token-used')) {
      keys.set(token, (keys.get(token) ?? new Set()).add(publicKey));
    }
    return [...keys]
      .filter(([, used]) => used.size > 1)
      .map(([token, used]) => `token ${token} enrolled ${used.size} keys`);
  },
};

/** Tolerated error of a clock beyond its own uncertainty, in milliseconds. */
const TOLERANCE_MS = 50;

/** I8. Server time on an agent is wrong by half a round trip and 50 ms at most; nothing takes less than no time. */
export const clockError: Invariant = {
  id: 'I8',
  says: 'the corrected time is right within half a round trip and 50 ms, no duration is negative',
  evidence: ['clock', 'produced'],
  check: (history) => [
    ...recordsOf(history, 'clock')
      .filter(({ errorMs, uncertaintyMs }) => uncertaintyMs >= 0 && Math.abs(errorMs) > uncertaintyMs + TOLERANCE_MS)
      .map(({ nodeId, errorMs, uncertaintyMs }) => `${nodeId} is ${errorMs} ms off and claims ${uncertaintyMs} ms`),
    ...recordsOf(history, 'produced')
      .filter(({ durationMs }) => durationMs < 0)
      .map(({ subject, durationMs }) => `${subject} took ${durationMs} ms`),
  ],
};

/** I9. When nothing is broken any more, every node is back in time and nothing is left to be delivered or waited for. */
export const healed: Invariant = {
  id: 'I9',
  says: 'after the last repair all nodes are online in time, no backlog is left and no task waits',
  evidence: ['healed'],
  check: (history) => [...notBack(history), ...cutInCalm(history), ...backlogs(history), ...waiting(history)],
};

function notBack(history: History): string[] {
  const healing = recordsOf(history, 'healed').at(-1);
  if (healing === undefined) return [];
  const changes = history.records.filter((record) => record.type === 'online' || record.type === 'offline');
  const nodes = new Set(changes.map(({ nodeId }) => nodeId));
  return [...nodes].flatMap((nodeId) => {
    const last = changes.findLast((change) => change.nodeId === nodeId);
    if (last?.type !== 'online') return [`${nodeId} is not online`];
    const lateMs = last.at - healing.at - healing.patienceMs;
    return lateMs > 0 ? [`${nodeId} came back ${lateMs} ms too late`] : [];
  });
}

/** Links that ended while nothing was broken and all processes were back. */
function cutInCalm(history: History): string[] {
  const calm = recordsOf(history, 'calm').at(-1);
  if (calm === undefined) return [];
  return recordsOf(history, 'offline')
    .filter(({ at }) => at > calm.at)
    .map(({ nodeId }) => `the link of ${nodeId} ended without a fault`);
}

function backlogs(history: History): string[] {
  return recordsOf(history, 'backlog')
    .filter(({ rows }) => rows > 0)
    .map(({ nodeId, rows }) => `${nodeId} still holds ${rows} rows`);
}

function waiting(history: History): string[] {
  return recordsOf(history, 'task')
    .filter(({ state }) => state === 'pending')
    .map(({ subject, nodeId }) => `${subject} of ${nodeId} still waits`);
}

/** I9, of programs. None ends by itself, whatever is broken around it. */
export const noCrash: Invariant = {
  id: 'I9',
  says: 'no program ends by itself',
  evidence: ['online'],
  check: (history) => recordsOf(history, 'crashed').map(({ of, how }) => `${of} ended: ${how}`),
};

/** I11. No agent sends a packet to a range that is refused. */
export const refusedTargets: Invariant = {
  id: 'I11',
  says: 'no packet goes to a refused range',
  evidence: ['packet', 'tempted'],
  check: (history) =>
    recordsOf(history, 'packet')
      .filter(({ isRefused }) => isRefused)
      .map(({ nodeId, to }) => `${nodeId} sent a packet to ${to}, which is refused`),
};

/** I12. No secret stands in a log line, a result or a URL. A breach doesn't repeat it. */
export const secretsStay: Invariant = {
  id: 'I12',
  says: 'no secret is in logs, results or URLs',
  evidence: ['text'],
  check: (history) => recordsOf(history, 'text').flatMap(({ where, text }) => leaks(history, where, text)),
};

function leaks({ secrets }: History, where: string, text: string): string[] {
  return secrets
    .map((secret, index) => (secret !== '' && text.includes(secret) ? index : -1))
    .filter((index) => index >= 0)
    .map((index) => `${where} holds secret number ${index + 1}`);
}
