import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '@vantage/shared/clock.js';
import { detailedMembers } from '@vantage/shared/probe-types/detail-lines.js';
import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { startSpeedtestServer } from '../src/net/speedtest-server.js';
import { startTlsServer, tlsIdentity } from './_support/certificates.js';
import { startDnsServer, zone } from './_support/dns-server.js';
import { startHttpServer } from './_support/http-server.js';
import { startNtpServer } from './_support/ntp-server.js';
import { missingForRawSockets } from './_support/raw-sockets.js';
import { startSmtpServer } from './_support/smtp-server.js';
import { startTcpServer } from './_support/tcp-server.js';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./_support/print-probes.js', import.meta.url));

interface ReportCase {
  readonly target: string;
  readonly params?: readonly string[];
  /** Lines of its report, in order. */
  readonly lines: readonly RegExp[];
}

/** A server on loopback for a probe of each type. A new type does not compile without its own. */
const cases: { readonly [T in ProbeType]: (t: Test) => Promise<ReportCase> } = {
  http: async (t) => ({
    target: `http://127.0.0.1:${(await startHttpServer(t, (_request, response) => response.end('hello'))).port}/`,
    params: ['keywords=hello'],
    lines: [
      /^ {2}body +hello$/,
      /^ {2}200 {2}HTTP\/1\.1 {2}http:/,
      /^ {2}First byte +[\d.]+ ms/,
      /^ {2}Total +[\d.]+ ms/,
    ],
  }),
  ping: async () => ({
    target: '127.0.0.1',
    params: ['count=2', 'interval_ms=200'],
    lines: [/^ {2}loss +0 %$/, /^ {2}rtt mdev +[\d.]+ ms$/, /^ {2}seq=0 ttl=64 time=[\d.]+ ms$/, /^ {2}seq=1 /],
  }),
  dns: async (t) => {
    const { endpoint } = await startDnsServer(t, zone([{ type: 'A', name: 'www.example.com', data: '203.0.113.10' }]));
    return {
      target: 'www.example.com',
      params: [`server=${endpoint.address}`, `port=${endpoint.port}`],
      lines: [
        /;; status NOERROR/,
        /^ {2}www\.example\.com\. {2}\d+ {2}IN {2}A {2}203\.0\.113\.10$/,
        /;; server 127\.0\.0\.1/,
      ],
    };
  },
  tcp: async (t) => ({
    target: `127.0.0.1:${(await startTcpServer(t, (socket) => socket.write('220 ready\r\n'))).port}`,
    params: ['banner=true', 'count=2'],
    lines: [/^ {2}banner +220 ready/, /^ {2}attempts$/, /^ {4}connect {2}error$/, /^ {4}[\d.]+ +-$/],
  }),
  traceroute: async () => ({
    target: '127.0.0.1',
    params: ['reverse_dns=false'],
    lines: [/^ {2}reached +true$/, /^ {3}1 {2}127\.0\.0\.1 {2}[\d.]+ ms {2}[\d.]+ ms {2}[\d.]+ ms$/],
  }),
  mtr: async () => ({
    target: '127.0.0.1',
    params: ['cycles=1', 'reverse_dns=false'],
    lines: [/^ +Host +Loss% +Snt +Last +Avg/, /^ +1\.\|-- {2}127\.0\.0\.1 +0\.0% +1 +[\d.]+/],
  }),
  smtp: async (t) => ({
    target: `127.0.0.1:${(await startSmtpServer(t, { tls: tlsIdentity('good') })).port}`,
    lines: [/^ {2}<- {2}mail\.example\.com ESMTP/, /^ {3}-> STARTTLS$/, /^ {2}=== TLSv1\.3/, /^ {3}~> EHLO$/],
  }),
  ntp: async (t) => ({
    target: `127.0.0.1:${(await startNtpServer(t)).port}`,
    params: ['count=1'],
    lines: [/^ {2}offset +-?[\d.]+ ms$/, /^ {2}stratum +2$/, /^ {2}samples$/, /^ {4}offset +delay$/],
  }),
  ssl: async (t) => ({
    target: `127.0.0.1:${(await startTlsServer(t, tlsIdentity('good'), () => {})).port}`,
    lines: [
      /^ {2}Grade T {3}because of untrusted$/,
      /^ {2}Names +site\.example\.com/,
      /^ {4}T +untrusted +nobody vouches/,
      /^ {2}Versions$/,
      /^ {4}TLSv1\.1 +no +alert/,
      /^ {4}TLSv1\.3 +yes +TLS_AES/,
      /^ {2}Certificate 1 {2}CN=site\.example\.com$/,
    ],
  }),
  speedtest: async (t) => {
    const server = await startSpeedtestServer('127.0.0.1', 0, systemClock);
    t.teardown(() => server.stop());
    return {
      target: `http://127.0.0.1:${server.address.port}/speedtest`,
      params: ['bytes=100000'],
      lines: [
        /^ {2}latency +[\d.]+ ms, jitter [\d.]+ ms$/,
        /^ {2}download +([\d.]+ [MG]bit\/s|-), 0\.1 MB in [\d.]+ s, latency meanwhile /,
        /^ {2}upload +([\d.]+ [MG]bit\/s|-), 0\.1 MB in /,
      ],
    };
  },
};

/** Fields that the first line of a report says. */
const commonFields = new Set(['success', 'error', 'started_at', 'duration_ms', 'disturbed', 'loop_lag_ms']);

/** Members of a result that have something to say and nobody says. */
function untold(type: ProbeType, result: object, report: string): string[] {
  const details = detailedMembers(type);
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  return Object.entries(result)
    .filter(([name, value]) => !commonFields.has(name) && !details.has(name) && !isEmpty(value))
    .map(([name]) => name.replace(/_(ms|pct)$/, '').replaceAll('_', ' '))
    .filter((label) => !new RegExp(`^ +${label}`, 'm').test(report));
}

t.test('probe shows a result of every type to people, and as JSON', async (t) => {
  const types = probeTypeNames.filter((type) => definitionOf(type).capability === null || !missingForRawSockets());
  const asked = await Promise.all(types.map(async (type) => ({ type, ...(await cases[type](t)) })));
  const list = asked.map(({ type, target, params = [] }) => [type, target, params]);
  const printed = (await run(process.execPath, [script, JSON.stringify(list)])).stdout.split('\f');
  for (const [index, { type, target, lines }] of asked.entries()) {
    const [report = '', json = ''] = printed.slice(2 * index);
    const result: { success?: boolean } = JSON.parse(json);
    t.match(compileSchema(agentResultSchema(type))(result), { ok: true }, type);
    t.equal(result.success, true, type);
    t.ok(report.startsWith(`OK      ${type} ${target} (`), report);
    const rows = report.split('\n');
    for (const line of lines) {
      const at = rows.findIndex((row) => line.test(row));
      t.ok(at >= 0, `${type} has a line ${line}: ${report}`);
      rows.splice(0, at + 1);
    }
    t.notMatch(report, /\[object|undefined|NaN/, type);
    t.strictSame(untold(type, result, report), [], `${type} tells all it found`);
  }
});
