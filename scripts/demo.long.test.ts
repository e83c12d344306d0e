import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t, { type Test } from 'tap';
import type { ShownKind } from './demo/lookup-text.js';

const runner = join(dirname(dirname(fileURLToPath(import.meta.url))), 'run.mjs');
const skip = missing('raw sockets');

/** Parts of the answer to the lookup of each kind; `registered` is that of a domain and of an address. */
const answers: Readonly<Record<ShownKind, object>> = {
  ip: { city: 'London', asn: 20712, sources: [{ name: /City/ }, { name: /ASN/ }] },
  whois: { registered: true, source: { protocol: 'rdap' } },
  ssl: { domain: 'www.demo.example', grade: 'T', resolved_ip: '127.0.0.1', error: null },
  dns: { domain: 'demo.example', rcode: 'NOERROR', records: [{ type: 'A' }, { type: 'MX' }], errors: [] },
  icp: { domain: 'demo.example', icp_number: /ICP/, source: '127.0.0.1' },
  headers: { grade: /^[A-F]/, hops: [{ status_code: 200 }], error: null },
  reputation: { score: 25, evidence: [{ signal: 'hosting', weight: 25 }], sources: [{ name: 'data-centers' }] },
  'domain-combo': { total: 10, sample: ['adns.com'] },
};
/** Kinds that no node answers. */
const computed: ReadonlySet<string> = new Set(['ip', 'reputation', 'domain-combo'] satisfies ShownKind[]);

interface Demo {
  readonly process: ChildProcess;
  /** Directory of everything that the demo creates. */
  readonly directory: string;
  readonly exited: Promise<number | null>;
}

function startDemo(test: Test, args: readonly string[]): Demo {
  const directory = mkdtempSync(join(tmpdir(), 'vantage-test-'));
  test.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const child = spawn(process.execPath, [runner, 'demo', ...args], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  test.teardown(() => child.kill('SIGKILL'));
  return { process: child, directory, exited: new Promise((resolve) => child.once('exit', (code) => resolve(code))) };
}

/** Waits until the demo says how to end it. */
async function whenUp({ process: child }: Demo): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    // a loop over the stream would close it when it ends, and what the demo then says would end the demo
    child.stderr?.on('data', (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes('Ctrl-C stops the demo')) resolve();
    });
    child.stderr?.once('end', () => reject(new Error(`the demo ended early: ${said}`)));
  });
}

/** Command lines of processes that know the demo's directory. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => readOrNothing(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
    .filter((line) => line.includes(directory));
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function leavesNothing(test: Test, directory: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  const left = () => [
    ...processesOf(directory),
    ...readdirSync(directory).filter((name) => name.startsWith('vantage-')),
  ];
  while (left().length > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  test.strictSame(left(), [], 'no process and no directory is left');
}

t.test(
  'the demo brings a result of every type, an answer to a lookup of every kind, a new account by a provider and the events of a monitor and of a job, as one JSON document, and leaves nothing behind',
  {
    skip,
  },
  async (t) => {
    const demo = startDemo(t, ['--once', '--json']);
    const [output, said, code] = await Promise.all([
      text(demo.process.stdout as NodeJS.ReadableStream),
      text(demo.process.stderr as NodeJS.ReadableStream),
      demo.exited,
    ]);
    t.equal(code, 0, said.slice(-500));
    const { nodes, probes, lookups, report, sign_in, monitors, events, alerts } = JSON.parse(output);
    t.strictSame(
      nodes.map(({ name }: { name: string }) => name),
      ['frankfurt-1', 'ashburn-1', 'tokyo-1'],
    );
    const types = probes.map(({ type }: { type: string }) => type);
    t.strictSame(types.sort(), [...probeTypeNames].sort());
    for (const { type, status, task_id, target, node_results } of probes) {
      t.match({ status, task_id, target }, { status: 'completed', task_id: /^pt_/, target: /\w/ }, type);
      t.strictSame(
        node_results.map(({ success }: { success: boolean }) => success),
        [true, true, true],
        type,
      );
    }
    const kinds = new Set(lookups.map(({ kind }: { kind: ShownKind }) => kind));
    t.strictSame([...kinds].sort(), Object.keys(answers).sort());
    for (const { kind, question, data, cache, cache_again } of lookups) {
      const about = `${kind} of ${question}`;
      t.match(data, answers[kind as ShownKind], about);
      if (computed.has(kind)) t.strictSame([cache, cache_again], [null, null], about);
      else t.match([cache, cache_again], [{ hit: false }, { hit: true, age_sec: Number }], about);
    }
    t.match(report, { status: 'completed', shared: true, sections: { http: { status: 'completed' } } });
    t.strictSame(sign_in, { provider: 'Demo provider', email: 'ada@people.example' });
    t.ok(monitors.length >= 5);
    t.ok(monitors.every(({ current_status }: { current_status: string }) => current_status === 'up'));
    const about = { type: 'down', started_at: String, ended_at: String };
    // they come in the order in which they began, and the shop is noticed late where everything takes long
    const byMonitor = events.toSorted((a: { monitor: string }, b: { monitor: string }) =>
      a.monitor.localeCompare(b.monitor),
    );
    t.match(byMonitor, [
      { ...about, monitor: 'Backup', reason: /no ping came/ },
      { ...about, monitor: 'Shop', reason: /503/ },
    ]);
    t.equal(events.length, 2);
    t.match(alerts.messages, [
      { text: /^🔴 Shop is down/ },
      { text: /acknowledged: Shop is down/ },
      { text: /^🟢 Shop is up again/ },
    ]);
    t.match(alerts.acknowledged_by, /On-call group/);
    for (const kind of ['monitor.down', 'alert.firing', 'alert.acknowledged', 'monitor.up', 'alert.resolved'])
      t.ok(alerts.webhooks.includes(kind), kind);
    await leavesNothing(t, demo.directory);
  },
);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  t.test(`a demo ended by ${signal} leaves no process and no directory behind`, { skip }, async (t) => {
    const demo = startDemo(t, []);
    await whenUp(demo);
    t.ok(processesOf(demo.directory).length >= 4, 'server, database and agents are there');
    demo.process.kill(signal);
    await demo.exited;
    await leavesNothing(t, demo.directory);
  });
}
