import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { aSpoolStatus, aStatus } from '../../test/_support/a-status.js';
import { judgeStatus, type StatusFacts } from './status.js';
import { readableStatus } from './status-text.js';

const screen = { width: Number.POSITIVE_INFINITY, paint: plain };

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const identity = { nodeId: 'n_1', controlUrls: ['https://vantage.example'] };

function judge(facts: Partial<StatusFacts> = {}) {
  return judgeStatus({
    stateDir: '/state',
    identity,
    isInUse: true,
    agent: aStatus(),
    diskProblem: null,
    readSpool: () => aSpoolStatus({ rows: 7 }),
    nowMs: NOW_MS,
    ...facts,
  });
}

const waitingLink = {
  state: 'waiting',
  url: 'https://vantage.example',
  since: '2026-11-20T11:59:50.000Z',
  next_try_at: '2026-11-20T12:00:08.000Z',
  credits: null,
  last_end: { reason: 'unreachable', message: 'ECONNREFUSED', at: '2026-11-20T11:59:50.000Z' },
} as const;
const silent = aStatus({ updated_at: '2026-11-20T11:59:00.000Z' });

t.test(
  'the status of an agent is used while it holds its directory and writes; otherwise its spool is read',
  async (t) => {
    const cases: { name: string; facts: Partial<StatusFacts>; expected: object }[] = [
      {
        name: 'open link',
        facts: {},
        expected: { is_running: true, is_connected: true, problem: null, stored_spool: null },
      },
      {
        name: 'waiting link',
        facts: { agent: aStatus({ link: waitingLink }) },
        expected: { is_running: true, is_connected: false, problem: null, stored_spool: null },
      },
      {
        name: 'no agent',
        facts: { agent: null, isInUse: false },
        expected: { is_running: false, is_connected: false, problem: /no agent runs/, stored_spool: { rows: 7 } },
      },
      {
        name: 'killed agent, its process id perhaps another’s by now',
        facts: { isInUse: false },
        expected: { is_running: false, is_connected: false, problem: /4711/, stored_spool: { rows: 7 } },
      },
      {
        name: 'agent that hangs',
        facts: { agent: silent },
        expected: {
          is_running: true,
          is_connected: false,
          problem: /not reported anything for 60 s$/,
          stored_spool: { rows: 7 },
        },
      },
      {
        name: 'agent whose disk is read-only',
        facts: { agent: silent, diskProblem: 'its disk is read-only' },
        expected: { is_running: true, problem: /not reported anything for 60 s: its disk is read-only/ },
      },
      {
        name: 'agent that begins',
        facts: { agent: null },
        expected: { is_running: true, is_connected: false, problem: /not reported anything yet/ },
      },
      {
        name: 'machine that is no node',
        facts: { identity: null, agent: null, isInUse: false, readSpool: () => null },
        expected: { is_running: false, node_id: null, problem: /run `vantage-agent enroll`/, stored_spool: null },
      },
    ];
    for (const { name, facts, expected } of cases) t.match(judge(facts), expected, name);
  },
);

t.test(
  'the report shows what waits and since when, what was dropped and why, and when the link is tried again',
  async (t) => {
    const nothing = { rows: 0, bytes: 0, oldest_at: null };
    const spool = aSpoolStatus({
      rows: 120,
      bytes: 86_221,
      oldest_at: '2026-11-20T11:55:50.000Z',
      lanes: { task: nothing, check: { rows: 120, bytes: 86_221, oldest_at: '2026-11-20T11:55:50.000Z' } },
      held_bytes: 3_250_586,
      dropped: 310,
      dropped_for: { spool_full: 300, expired: 10, corrupt: 0 },
      problem: 'database or disk is full',
      set_aside: '/state/spool/spool.db.corrupt-2026-11-20T100000.000Z',
    });
    const schedule = { assignments: 12, running: 2, checks_done: 340, slots_missed: 7, worst_start_late_ms: 18.26 };
    const text = readableStatus(
      judge({ agent: aStatus({ spool, link: waitingLink, running: 3, schedule }) }),
      NOW_MS,
      screen,
    );
    t.equal(
      text,
      `state            running
node             n_1, generation 12, of https://vantage.example
process          4711, since 2026-11-20 11:00:00Z (1 h ago), version 0.1.0
link             waiting (https://vantage.example), since 2026-11-20 11:59:50Z (10 s ago), next try in 8 s
last link end    unreachable, 2026-11-20 11:59:50Z (10 s ago): ECONNREFUSED
clock            1.0 ms behind the control plane, ± 1.0 ms
spool            120 results wait (84.2 KiB), oldest 2026-11-20 11:55:50Z (4 min 10 s ago)
  lane task      nothing
  lane check     120 results (84.2 KiB), oldest 2026-11-20 11:55:50Z (4 min 10 s ago)
  kept           3.1 MiB of 64.0 MiB, no longer than 3 d
  dropped        310: 300 spool full, 10 expired
  epoch          00112233445566778899aabbccddeeff
  DISK           cannot store results: database or disk is full
  SET ASIDE      /state/spool/spool.db.corrupt-2026-11-20T100000.000Z (damaged)
probes running   3
monitors         12 watched, 2 checks running
  checks         340 done, 7 slots missed, latest start in the last minute 18.3 ms late
capabilities     none beyond plain sockets
state directory  /state
`,
    );
  },
);

t.test('the report shows how many rows of each lane the control plane takes at once', async (t) => {
  const { link } = aStatus();
  t.match(readableStatus(judge(), NOW_MS, screen), /^credits +2000 of lane task, 500 of lane check$/m);
  const slow = aStatus({ link: { ...link, credits: { task: 100, check: 0 } } });
  t.match(
    readableStatus(judge({ agent: slow }), NOW_MS, screen),
    /^credits +100 of lane task, 0 of lane check: the control plane is slow$/m,
  );
});

t.test('for a silent agent the report shows its last status and the content of its spool', async (t) => {
  const text = readableStatus(judge({ agent: aStatus({ link: waitingLink }), isInUse: false }), NOW_MS, screen);
  t.match(text, /^state +the agent ended unexpectedly \(process 4711, last heard from 2026-11-20T11:59:58.000Z\)$/m);
  t.match(text, /^last heard from +2026-11-20 11:59:58Z \(2 s ago\)$/m);
  t.match(text, /^link then +waiting \(https:\/\/vantage.example\)$/m);
  t.match(text, /^spool +7 results wait/m);
  t.notMatch(text, /^clock/m);
});

t.test('for an agent of a version without monitors the report shows what it states', async (t) => {
  const { schedule: _, ...older } = aStatus();
  const text = readableStatus(judge({ agent: older }), NOW_MS, screen);
  t.match(text, /^probes running +0$/m);
  t.notMatch(text, /^monitors/m);
});
