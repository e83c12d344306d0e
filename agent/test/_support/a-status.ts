import type { AgentStatus } from '../../src/agent-status.js';
import type { SpoolStatus } from '../../src/spool-status.js';

/** The status of a connected agent at noon of 2026-11-20, with nothing in its spool; `parts` differ. */
export function aStatus(parts: Partial<AgentStatus> = {}): AgentStatus {
  return {
    pid: 4711,
    version: '0.1.0',
    node_id: 'n_1',
    generation: 12,
    started_at: '2026-11-20T11:00:00.000Z',
    updated_at: '2026-11-20T11:59:58.000Z',
    link: {
      state: 'open',
      url: 'https://vantage.example',
      since: '2026-11-20T11:00:01.000Z',
      next_try_at: null,
      credits: { task: 2_000, check: 500 },
      last_end: null,
    },
    clock: { offset_ms: 1, uncertainty_ms: 1 },
    spool: aSpoolStatus(),
    running: 0,
    schedule: { assignments: 0, running: 0, checks_done: 0, slots_missed: 0, worst_start_late_ms: 0 },
    capabilities: [],
    self_test: null,
    ...parts,
  };
}

/** An empty spool; `parts` differ. */
export function aSpoolStatus(parts: Partial<SpoolStatus> = {}): SpoolStatus {
  const nothing = { rows: 0, bytes: 0, oldest_at: null };
  return {
    epoch: '00112233445566778899aabbccddeeff',
    ...nothing,
    lanes: { task: nothing, check: nothing },
    held_bytes: 0,
    max_bytes: 67_108_864,
    max_age_ms: 259_200_000,
    dropped: 0,
    dropped_for: { spool_full: 0, expired: 0, corrupt: 0 },
    problem: null,
    set_aside: null,
    ...parts,
  };
}
