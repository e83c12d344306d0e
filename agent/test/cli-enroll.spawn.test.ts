import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t from 'tap';
import { type EnrollCommandOptions, enrollNode } from '../src/commands/enroll.js';
import { judgeError } from '../src/commands/judge-error.js';
import { parseConfig } from '../src/config.js';
import { runCommand } from './_support/cli.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';

const config = parseConfig({});
const { token } = makeToken(tokenPrefixes.enrollment);

t.test('the token may come from a file or from standard input, out of the process list', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const folder = t.testdir();
  const file = join(folder, 'token');
  writeFileSync(file, `${token}\n`);
  const ways: { name: string; args: string[]; stdin: string }[] = [
    { name: 'file', args: ['--token-file', file], stdin: '' },
    { name: 'stdin', args: ['--token', '-'], stdin: `${token}\n` },
  ];
  const outcomes = await Promise.all(
    ways.map(({ name, args, stdin }) =>
      runCommand(t, ['enroll', '--url', controlPlane.url, '--state-dir', join(folder, name), ...args], { stdin }),
    ),
  );
  for (const { code, stdout, stderr } of outcomes) {
    t.match({ code, stderr }, { code: 0, stderr: '' });
    t.match(stdout, controlPlane.nodeId);
    t.notOk(stdout.includes(token), 'the token is not printed');
  }
  t.same(
    controlPlane.enrollments.map((body) => body['token']),
    [token, token],
  );
});

t.test('a command in ~/.local/bin that PATH lacks is named with its path and the line that adds it', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const home = t.testdir({ '.local': { bin: { 'vantage-agent': '' } } });
  const bin = join(home, '.local/bin');
  const enroll = async (state: string, path: string) => {
    const args = ['enroll', '--url', controlPlane.url, '--token', '-', '--state-dir', join(home, state)];
    const env = { HOME: home, PATH: path };
    return (await runCommand(t, args, { stdin: token, env })).stdout.split('\n').slice(1, -1);
  };
  t.strictSame(await enroll('a', '/usr/bin:/bin'), [
    `start it with: ${bin}/vantage-agent run --state-dir ${home}/a`,
    `vantage-agent is in ${bin}, which is not in PATH. This line in ~/.profile adds it: export PATH="$HOME/.local/bin:$PATH"`,
  ]);
  t.match(await enroll('b', `/usr/bin:/bin:${bin}`), [/^start it with: \S*vantage-agent run --state-dir \S+\/b$/]);
});

t.test('the declared place is sent, and the response is JSON', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = join(t.testdir(), 'state');
  const place = [
    '--name',
    'berlin-1',
    '--country',
    'de',
    '--province',
    'DE-BE',
    '--city',
    'Berlin',
    '--asn',
    '3320',
    '--provider',
    'Telekom',
  ];
  const args = [
    'enroll',
    '--url',
    controlPlane.url,
    '--token',
    token,
    '--state-dir',
    stateDir,
    ...place,
    '--tag',
    'home',
    '--tag',
    'dsl',
    '--json',
  ];
  const { code, stdout } = await runCommand(t, args);
  t.equal(code, 0);
  t.same(JSON.parse(stdout), { node_id: controlPlane.nodeId, control_urls: [controlPlane.url], state_dir: stateDir });
  t.match(controlPlane.enrollments[0], {
    name: 'berlin-1',
    declared: {
      country: 'DE',
      province: 'DE-BE',
      city: 'Berlin',
      asn: 3320,
      provider: 'Telekom',
      tags: ['home', 'dsl'],
    },
  });
  t.equal(statSync(stateDir).mode & 0o777, 0o700);
  t.equal(JSON.parse(readFileSync(join(stateDir, 'identity.json'), 'utf8')).node_id, controlPlane.nodeId);
  const again = await enrollNode(
    { ...config, stateDir },
    { url: controlPlane.url, tokenFile: 'gone', tag: [], insecure: false, json: false },
  ).catch(judgeError);
  t.match(again, { exit: 'failed', message: /already enrolled/ });
});

t.test('input that cannot work is refused before anything is sent', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const { url } = controlPlane;
  const cases: { name: string; options: Partial<EnrollCommandOptions>; expected: RegExp }[] = [
    { name: 'no token', options: { url }, expected: /give --token-file FILE/ },
    { name: 'two tokens', options: { url, token, tokenFile: 'x' }, expected: /not both/ },
    {
      name: 'no such file',
      options: { url, tokenFile: '/nonexistent/vantage' },
      expected: /cannot read the token from "\/nonexistent\/vantage": ENOENT/,
    },
    { name: 'a mistyped token', options: { url, token: `${token.slice(0, -1)}~` }, expected: /mistyped/ },
    { name: 'plain http to elsewhere', options: { url: 'http://192.0.2.1', token }, expected: /--insecure/ },
  ];
  for (const { name, options, expected } of cases) {
    const attempt = enrollNode(
      { ...config, stateDir: t.testdirName },
      { url, tag: [], insecure: false, json: false, ...options },
    );
    t.match(await attempt.catch(judgeError), { exit: 'usage', message: expected }, name);
  }
  t.same(controlPlane.enrollments, []);
});

t.test('with --json a refusal is JSON too, and its exit code and line stay', async (t) => {
  const refusal = { error: { code: 'NODE_ENROLLMENT_TOKEN_INVALID', message: 'no' }, request_id: 'req_1' };
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal));
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cases = [
    { typed: token, code: 1, error: { code: 'NODE_ENROLLMENT_TOKEN_INVALID', is_retryable: false } },
    { typed: `${token.slice(0, -1)}~`, code: 2, error: { code: null, is_retryable: false } },
  ];
  for (const { typed, code, error } of cases) {
    const args = ['enroll', '--url', url, '--state-dir', join(t.testdir(), 'state'), '--token', typed, '--json'];
    const outcome = await runCommand(t, args);
    t.match(outcome, { code, stderr: /^vantage-agent: / });
    const said = JSON.parse(outcome.stdout);
    t.match(said, { error });
    // the line for people names the programs of this checkout
    t.match(outcome.stderr.replace(/[\w./-]*vantage-control/, 'vantage-control'), said.error.message);
  }
});
