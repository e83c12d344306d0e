import t from 'tap';
import type { AgentStatus } from '../agent-status.js';
import { judgeStatus } from './status.js';

const NOW_MS = Date.UTC(2026, 10, 20, 12);

function aStatus(parts: Partial<AgentStatus> = {}): AgentStatus {
  return {
    pid: 4711,
    version: '0.1.0',
    node_id: 'n_1',
    started_at: '2026-11-20T11:00:00.000Z',
    updated_at: '2026-11-20T11:59:58.000Z',
    link: { state: 'open', url: 'https://vantage.example', since: '2026-11-20T11:00:01.000Z', last_end: null },
    clock: { offset_ms: 1, uncertainty_ms: 1 },
    spool: { rows: 0, bytes: 0, oldest_at: null, dropped: 0, problem: null },
    running: 0,
    capabilities: [],
    self_test: null,
    ...parts,
  };
}

const alive = () => true;
const dead = () => false;

t.test('what a status file means', async (t) => {
  const waiting = { state: 'waiting', url: null, since: '', last_end: null } as const;
  const cases = [
    {
      name: 'open link',
      agent: aStatus(),
      isAlive: alive,
      expected: { is_running: true, is_connected: true, problem: null },
    },
    {
      name: 'waiting link',
      agent: aStatus({ link: waiting }),
      isAlive: alive,
      expected: { is_running: true, is_connected: false, problem: null },
    },
    {
      name: 'no file',
      agent: null,
      isAlive: alive,
      expected: { is_running: false, is_connected: false, problem: /no agent runs/ },
    },
    {
      name: 'killed agent',
      agent: aStatus(),
      isAlive: dead,
      expected: { is_running: false, is_connected: false, problem: /4711/ },
    },
    {
      name: 'agent that hangs',
      agent: aStatus({ updated_at: '2026-11-20T11:59:00.000Z' }),
      isAlive: alive,
      expected: { is_running: true, is_connected: false, problem: /nothing for 60 s/ },
    },
  ];
  for (const { name, agent, isAlive, expected } of cases)
    t.match(judgeStatus('/state', agent, NOW_MS, isAlive), expected, name);
});
