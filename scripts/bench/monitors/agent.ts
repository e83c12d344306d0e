import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { CheckReport, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { MemoryAgent, stopAgent } from '../link/memory-agent.js';
import { cpuSecondsOf } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText, quantile } from '../statistics.js';

const INTERVAL_S = 10;
const WARM_MS = sized(12_000, 1_000);
const BARE_MS = sized(10_000, 300);
const MEASURED_S = sized(20, 1);
const RATES: Readonly<Record<'http' | 'tcp', readonly number[]>> = sized(
  { http: [500, 1_000, 1_500], tcp: [1_500] },
  { http: [20], tcp: [20] },
);

/** Number of checks a second that one agent makes in time. */
export const agent: LinkComparison = {
  name: 'agent',
  title: 'one agent that checks by its schedule',
  question: 'How many checks a second does one agent make in time?',
  method: ({ rounds }) =>
    `monitors at ${INTERVAL_S} s on one real agent, against a server of loopback that answers two bytes; ${MEASURED_S} s count, after ${WARM_MS / 1_000} s; ${rounds} agents one after the other; CPU of all its processes; bare: node:http in a process of its own, a new connection for each request, at the same rate`,
  async run({ rounds }) {
    const target = await startTarget();
    try {
      const rows: LinkRow[] = [];
      for (const type of ['http', 'tcp'] as const) {
        for (const rate of RATES[type]) rows.push(...(await measure({ type, rate, rounds, target })));
      }
      return rows;
    } finally {
      target.stop();
    }
  },
};

interface Target {
  readonly host: string;
  readonly stop: () => void;
}

interface Case {
  readonly type: 'http' | 'tcp';
  readonly rate: number;
  readonly rounds: number;
  readonly target: Target;
}

interface Found {
  readonly perSecond: number;
  readonly lateP99: number;
  readonly missed: number;
  readonly cores: number;
}

async function measure({ type, rate, rounds, target }: Case): Promise<LinkRow[]> {
  const found: Found[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    found.push(await oneAgent(type, rate, target));
    if (type === 'http') bare.push(await bareRequests(rate, target));
  }
  const figure = (of: (one: Found) => number, digits: number) => figureText(figureOf(found.map(of)), digits);
  const perCore = figureOf(found.map(({ perSecond, cores }) => perSecond / cores));
  const barePerCore = bare.length === 0 ? null : figureOf(bare);
  const row = (what: string, ours: string, goal: string): LinkRow => ({
    what: `${type}, ${rate}/s asked for: ${what}`,
    ours,
    baseline: '',
    ratio: '',
    goal,
  });
  return [
    row(
      'made a second',
      figure(({ perSecond }) => perSecond, 0),
      '',
    ),
    row(
      'begun late, p99, ms',
      figure(({ lateP99 }) => lateP99, 1),
      `at most ${INTERVAL_S * 5}`,
    ),
    row(
      'slots missed',
      figure(({ missed }) => missed, 0),
      '0',
    ),
    {
      ...row('checks for a second of CPU', figureText(perCore, 0), type === 'http' ? 'at least 1 500' : ''),
      baseline: barePerCore === null ? '' : figureText(barePerCore, 0),
      ratio: barePerCore === null ? '' : (perCore.median / barePerCore.median).toFixed(2),
    },
  ];
}

async function oneAgent(type: Case['type'], rate: number, { host }: Target): Promise<Found> {
  const agent = await MemoryAgent.enroll();
  try {
    const child = await agent.start();
    try {
      return await watch(agent, child, specsOf(type, rate, host));
    } finally {
      await stopAgent(child);
    }
  } finally {
    agent.remove();
  }
}

async function watch(agent: MemoryAgent, child: ChildProcess, specs: readonly object[]): Promise<Found> {
  let [checks, missed] = [0, 0];
  const late: number[] = [];
  agent.peer.assign(
    specs.map((spec) => ({
      monitorId: newId(idPrefixes.monitor),
      generation: 1,
      specJson: Buffer.from(JSON.stringify(spec)),
    })),
  );
  await pause(WARM_MS);
  agent.peer.onResults = (results) => {
    for (const { kind, resultJson } of results) {
      const report = JSON.parse(Buffer.from(resultJson ?? []).toString()) as CheckReport | MissedReport;
      if (kind === CHECK_KIND && 'late_ms' in report) {
        checks += 1;
        late.push(report.late_ms);
      } else if ('count' in report) missed += report.count;
    }
  };
  const cpu = cpuSecondsOf(child.pid ?? 0);
  const startedMs = performance.now();
  await pause(MEASURED_S * 1_000);
  const seconds = (performance.now() - startedMs) / 1_000;
  const cores = (cpuSecondsOf(child.pid ?? 0) - cpu) / seconds;
  agent.peer.onResults = () => undefined;
  return { perSecond: checks / seconds, lateP99: quantile(late, 0.99), missed, cores };
}

function specsOf(type: Case['type'], rate: number, host: string): object[] {
  const target = type === 'http' ? `http://${host}/` : host;
  const spec = { type, target, config: {}, interval_s: INTERVAL_S, consecutive_fail: 2, consecutive_ok: 1 };
  return Array.from({ length: rate * INTERVAL_S }, () => spec);
}

/** Requests for a second of CPU of a bare client at this rate. */
async function bareRequests(rate: number, { host }: Target): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), ['client', `http://${host}/`, String(rate)]);
  const [answer] = (await once(child, 'message')) as [{ readonly done: number; readonly cpuSeconds: number }];
  child.disconnect();
  return answer.done / answer.cpuSeconds;
}

async function startTarget(): Promise<Target> {
  const child = fork(fileURLToPath(import.meta.url), ['target']);
  const [port] = (await once(child, 'message')) as [number];
  return { host: `127.0.0.1:${port}`, stop: () => child.kill() };
}

function serve(): void {
  const server = http.createServer((_request, response) => response.end('ok'));
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : 0);
  });
}

async function askBare(url: string, rate: number): Promise<void> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  let [begun, done] = [0, 0];
  for (let passed = 0; passed < BARE_MS; passed = performance.now() - startedMs) {
    for (; begun < (passed / 1_000) * rate; begun += 1) {
      http
        .get(url, { agent: false }, (response) => response.resume().on('end', () => (done += 1)))
        .on('error', () => {});
    }
    await pause(5);
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ done, cpuSeconds: (user + system) / 1e6 });
}

const [, script, role, url = '', rate = ''] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  if (role === 'target') serve();
  else if (role === 'client') void askBare(url, Number(rate));
}
