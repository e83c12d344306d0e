import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import {
  type DecodedServerFrame,
  findLaneName,
  type Lane,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import type { ControlPlaneLists } from '../measuring/policy-source.js';
import type { CheckRequest } from '../schedule/asked-checks.js';
import type { Assignment } from '../schedule/assignment.js';
import type { AssignmentsChange } from '../schedule/assignment-table.js';
import type { HeartbeatIntervals } from './heartbeats.js';
import type { Job } from './jobs.js';

/** Heartbeats below this would be a flood, above it a dead link would go unnoticed for hours. */
const HEARTBEAT_RANGE_MS = { least: 10, most: 600_000 };
const MAX_DEADLINE_MS = 600_000;
const MAX_ID_LENGTH = 64;
/** A lease beyond that would be none, seconds. */
const MAX_LEASE_SECONDS = 366 * 86_400;
/** The API takes bodies of half of this. */
const MAX_SPEC_BYTES = 64 * 1024;

const monitorIdPattern = new RegExp(idPattern(idPrefixes.monitor));

// Converts frames of the control plane into the values that the agent works with. An authenticated peer may still be
// faulty: a value out of range is a MalformedFrameError, which ends that link.

/** @throws MalformedFrameError */
export function parseJob(job: NonNullable<DecodedServerFrame['job']>): Job {
  if (job.taskId === '' || job.taskId.length > MAX_ID_LENGTH) throw new MalformedFrameError('job without a task id');
  if (job.deadlineMs < 1 || job.deadlineMs > MAX_DEADLINE_MS)
    throw new MalformedFrameError('job deadline out of range');
  if (job.specJson.length > MAX_SPEC_BYTES) throw new MalformedFrameError('job specification too large');
  return {
    taskId: job.taskId,
    probeType: job.probeType.slice(0, MAX_ID_LENGTH),
    specJson: Buffer.from(job.specJson).toString('utf8'),
    deadlineMs: job.deadlineMs,
    caller: job.caller.slice(0, MAX_ID_LENGTH),
  };
}

/** @throws MalformedFrameError */
export function parseConfig(config: NonNullable<DecodedServerFrame['config']>): {
  intervals: HeartbeatIntervals;
  lists: ControlPlaneLists;
  canaries: readonly string[];
  controlUrls: readonly string[];
  leaseSeconds: number;
} {
  for (const ms of [config.heartbeatMs, config.busyHeartbeatMs]) {
    if (ms < HEARTBEAT_RANGE_MS.least || ms > HEARTBEAT_RANGE_MS.most)
      throw new MalformedFrameError('heartbeat interval out of range');
  }
  if (config.leaseSeconds > MAX_LEASE_SECONDS) throw new MalformedFrameError('lease out of range');
  return {
    intervals: { idleMs: config.heartbeatMs, busyMs: config.busyHeartbeatMs },
    lists: { own: config.ownAddresses, denied: config.denied },
    canaries: config.canaries,
    controlUrls: config.controlUrls,
    leaseSeconds: config.leaseSeconds,
  };
}

/**
 * Parses a change of assignments. Specifications are not judged here: an assignment with an unreadable one still
 * counts.
 * @throws MalformedFrameError
 */
export function parseAssignments(frame: NonNullable<DecodedServerFrame['assignments']>): AssignmentsChange {
  const { set, dropped, begins, ends } = frame;
  if (dropped.some((monitorId) => !isMonitorId(monitorId)))
    throw new MalformedFrameError('assignments without a monitor id');
  return { set: set.map(parseAssignment), dropped, begins, ends };
}

/** @throws MalformedFrameError */
export function parseCheckNow({
  monitorId,
  generation,
  request,
}: NonNullable<DecodedServerFrame['checkNow']>): CheckRequest {
  if (!isMonitorId(monitorId)) throw new MalformedFrameError('check without a monitor id');
  if (request.length > MAX_ID_LENGTH) throw new MalformedFrameError('request name too long');
  return { monitorId, generation, request };
}

function parseAssignment(assignment: {
  readonly monitorId?: string | null;
  readonly generation?: number | null;
  readonly specJson?: Uint8Array | null;
}): Assignment {
  const { monitorId, generation, specJson } = assignment;
  if (!isMonitorId(monitorId ?? '')) throw new MalformedFrameError('assignment without a monitor id');
  const text = specJson ?? new Uint8Array();
  if (text.length > MAX_SPEC_BYTES) throw new MalformedFrameError('assignment specification too large');
  if (!Number.isSafeInteger(generation ?? 0)) throw new MalformedFrameError('assignment generation out of range');
  return { monitorId: monitorId ?? '', generation: generation ?? 0, specJson: Buffer.from(text).toString('utf8') };
}

function isMonitorId(text: string): boolean {
  return monitorIdPattern.test(text);
}

/** A number for every lane; 0 for one that is not named. @throws MalformedFrameError */
export function parseLaneNumbers<E extends { lane?: number | null }>(
  entries: readonly E[],
  numberOf: (entry: E) => number,
): Record<Lane, number> {
  const numbers: Record<Lane, number> = { task: 0, check: 0 };
  for (const entry of entries) {
    const value = numberOf(entry);
    if (!Number.isSafeInteger(value) || value < 0) throw new MalformedFrameError('lane number out of range');
    const lane = findLaneName(entry.lane);
    if (lane !== null) numbers[lane] = value;
  }
  return numbers;
}

/** Lanes named in a list of credits, with the rows granted. @throws MalformedFrameError */
export function parseCredits(entries: readonly { lane?: number | null; rows?: number | null }[]): [Lane, number][] {
  const named = new Set(entries.map((entry) => findLaneName(entry.lane)));
  const rows = parseLaneNumbers(entries, (entry) => entry.rows ?? 0);
  return lanes.filter((lane) => named.has(lane)).map((lane) => [lane, rows[lane]]);
}
