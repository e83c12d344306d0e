import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { judgeError } from '../src/commands/judge-error.js';
import { probe } from '../src/commands/probe.js';
import { parseConfig } from '../src/config.js';
import { startTlsServer, testAuthority, tlsIdentity } from './_support/certificates.js';
import { AGENT_BIN, runCommand } from './_support/cli.js';
import { startDnsServer, zone } from './_support/dns-server.js';
import { startTcpServer } from './_support/tcp-server.js';

const env = { VANTAGE_ALLOW_TARGETS: '127.0.0.0/8' };

async function startTarget(t: Test): Promise<number> {
  const server = createServer((request, response) =>
    response.end(`seen ${request.method} ${request.headers['x-probe'] ?? ''}`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

t.test(
  '--json prints the result exactly as a control plane gets it, parameters as the schema asks for them',
  async (t) => {
    const port = await startTarget(t);
    const params = [
      '--param',
      'method=POST',
      '--param',
      'timeout_ms=9000',
      '--param',
      'verify_tls=true',
      '--param',
      'headers={"x-probe":"abc"}',
      '--param',
      'keywords=seen',
      '--param',
      'keywords=POST',
    ];
    const { code, stdout } = await runCommand(t, ['probe', 'http', `http://127.0.0.1:${port}/`, '--json', ...params], {
      env,
    });
    t.equal(code, 0);
    const result: unknown = JSON.parse(stdout);
    t.match(compileSchema(agentResultSchema('http'))(result), { ok: true });
    t.match(result, { success: true, status_code: 200, resolved_ip: '127.0.0.1', body: 'seen POST abc' });
    t.match(result, {
      keywords: [
        { keyword: 'seen', count: 1 },
        { keyword: 'POST', count: 1 },
      ],
    });
  },
);

t.test('an expired certificate of an authority in NODE_EXTRA_CA_CERTS is expired and not untrusted', async (t) => {
  const { port } = await startTlsServer(t, tlsIdentity('expired'), () => {});
  const file = join(t.testdir(), 'roots.pem');
  const broken = testAuthority.replace(/\n\w{64}\n/, '\n');
  const warningsWith = async (roots: string) => {
    writeFileSync(file, roots);
    const options = { env: { ...env, NODE_EXTRA_CA_CERTS: file } };
    const { stdout } = await runCommand(t, ['probe', 'ssl', `127.0.0.1:${port}`, '--json'], options);
    return JSON.parse(stdout).warnings as string[];
  };
  t.strictSame(await warningsWith(`a comment\n${testAuthority}${broken}`), ['expired', 'no_sct']);
  t.match(
    await warningsWith(`${broken}${testAuthority}`),
    ['expired', 'untrusted'],
    'Node reads up to the first bad one',
  );
});

t.test('people get a readable report', async (t) => {
  const port = await startTarget(t);
  const [good, bad] = await Promise.all([
    runCommand(t, ['probe', 'tcp', `127.0.0.1:${port}`], { env }),
    runCommand(t, ['probe', 'tcp', '127.0.0.1:1'], { env }),
  ]);
  t.match(good, { code: 0, stdout: /^OK {6}tcp 127\.0\.0\.1:\d+ \([\d.]+ ms/ });
  t.match(good?.stdout, /resolved ip +127\.0\.0\.1/);
  t.match(bad, { code: 1, stdout: /^FAILED {2}tcp 127\.0\.0\.1:1 .*\n {8}tcp_refused: / });
});

t.test('the target policy holds here too', async (t) => {
  const { code, stdout } = await runCommand(t, ['probe', 'tcp', '127.0.0.1:80', '--json']);
  t.equal(code, 1);
  t.match(JSON.parse(stdout), { success: false, error: { code: 'target_not_allowed' } });
});

t.test('a probe takes no proxy from the environment', async (t) => {
  const trap = await startTcpServer(t, (socket) => socket.destroy());
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => [name, `http://127.0.0.1:${trap.port}`]);
  const proxied = { ...env, ...Object.fromEntries(proxies), NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' };
  const port = await startTarget(t);
  const run = (...words: readonly string[]) => runCommand(t, ['probe', ...words, '--json'], { env: proxied });
  const doh = ['server=127.0.0.1', `port=${port}`, 'transport=doh'].flatMap((param) => ['--param', param]);
  const [page, transfer, question] = await Promise.all([
    run('http', `http://127.0.0.1:${port}/`),
    run('speedtest', `http://127.0.0.1:${port}/`),
    run('dns', 'example.com', ...doh),
  ]);
  t.match(JSON.parse(page?.stdout ?? ''), { success: true, resolved_ip: '127.0.0.1' });
  t.match(JSON.parse(transfer?.stdout ?? ''), { success: true, resolved_ip: '127.0.0.1' });
  t.match(JSON.parse(question?.stdout ?? ''), { success: false, error: { code: 'tls_handshake' } });
  t.equal(trap.accepted, 0);
});

t.test('probes ask the resolver of VANTAGE_DNS_SERVERS, which strangers may neither probe nor name', async (t) => {
  const server = await startDnsServer(t, zone([{ type: 'A', name: 'www.example.com', data: '10.0.0.5' }]));
  const { address, port } = server.endpoint;
  const run = async (resolvers: string, ...words: readonly string[]) => {
    const { stdout } = await runCommand(t, ['probe', ...words, '--json'], { env: { VANTAGE_DNS_SERVERS: resolvers } });
    return JSON.parse(stdout);
  };
  const [own, target, asked] = await Promise.all([
    run(`${address}:${port}`, 'dns', 'www.example.com'),
    run('[2620:fe::9]:53,9.9.9.9', 'ping', '9.9.9.9'),
    run('9.9.9.9, 2620:fe::9', 'dns', 'www.example.com', '--param', 'server=2620:fe::9'),
  ]);
  t.match(own, { success: true, resolver: 'system', records: [{ value: 'hidden' }], reserved_address: true });
  t.strictSame([...new Set(server.queries.map(({ name }) => name))], ['www.example.com']);
  for (const result of [target, asked]) t.match(result, { success: false, error: { code: 'target_not_allowed' } });
});

t.test(
  'search domains and /etc/hosts of the machine lead no probe anywhere',
  { skip: missing('permission to mount') },
  async (t) => {
    const server = await startDnsServer(t, () => ({ rcode: 'NXDOMAIN' }), '127.21.0.53', 53);
    const directory = t.testdir({
      'resolv.conf': 'search corp.example.com\noptions ndots:5\nnameserver 127.21.0.53\n',
      hosts: '127.0.0.1 www.example.com\n93.184.216.34 www.example.com\n',
    });
    // a minimal Debian has no /etc/hosts
    const files = ['resolv.conf', 'hosts'].filter((file) => existsSync(`/etc/${file}`));
    const binds = files.map((file) => `mount --bind '${directory}/${file}' /etc/${file}`);
    const command = [...binds, `'${process.execPath}' '${AGENT_BIN}' probe tcp www.example.com:80 --json`];
    const { stdout } = await promisify(execFile)('unshare', [
      '--mount',
      'sh',
      '-ec',
      `${command.join(' && ')} || true`,
    ]);
    t.match(JSON.parse(stdout), { success: false, error: { code: 'dns_nxdomain' } });
    t.strictSame([...new Set(server.queries.map(({ name }) => name))], ['www.example.com']);
  },
);

t.test('an invalid probe is wrong usage', async (t) => {
  const cases: { type: string; target: string; param: string[]; expected: RegExp }[] = [
    {
      type: 'quic',
      target: 'example.com',
      param: [],
      expected:
        /unknown probe type "quic": use one of http, ping, dns, tcp, traceroute, mtr, smtp, ntp, ssl, speedtest/,
    },
    { type: 'ping', target: 'example.com', param: ['count'], expected: /--param must be name=value/ },
    { type: 'ping', target: 'example.com', param: ['count=many'], expected: /count must be integer/ },
    { type: 'ping', target: 'example.com', param: ['flood=1'], expected: /flood is not a known field/ },
    { type: 'ping', target: 'x'.repeat(300), param: [], expected: /is not a target for ping/ },
  ];
  for (const { type, target, param, expected } of cases) {
    const attempt = probe(parseConfig({}), type, target, { param, json: true });
    t.match(await attempt.catch(judgeError), { exit: 'usage', message: expected }, `${type} ${param.join(' ')}`);
  }
});
