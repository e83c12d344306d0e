import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t, { type Test } from 'tap';
import { Agent } from 'undici';
import { startTlsServer, tlsIdentity } from '../../test/_support/certificates.js';
import { aControlPlane, hangingUp, refusing, replying } from './_support/a-control-plane.js';
import { type EnrollOptions, enroll } from './enrollment.js';
import { requestEnrollment } from './enrollment-request.js';
import { EnrollmentInputError, EnrollmentRefusedError, type EnrollmentUnansweredError } from './errors.js';
import { openIdentity } from './identity.js';
import { lockStateDirectory } from './state-directory.js';

function anEnrollment(t: Test, url: string, options: Partial<EnrollOptions> = {}): EnrollOptions {
  return {
    stateDir: join(t.testdir(), 'state'),
    url,
    token: makeToken(tokenPrefixes.enrollment).token,
    version: '1.2.3',
    capabilities: ['icmp'],
    isInsecureAllowed: false,
    bindAddress: null,
    proxyUrl: null,
    clock: new FakeClock(),
    random: () => 0.5,
    onRetry: () => {},
    ...options,
  };
}

/** Contents of the state directory as one text. */
function everythingIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

t.test('enrolling proves the key, and leaves an identity to connect with', async (t) => {
  const plane = await aControlPlane(t);
  const declared = { country: 'DE', asn: 3320, tags: ['home'] };
  const options = anEnrollment(t, `${plane.url}/`, { name: 'berlin-1', declared });
  const identity = await enroll(options);
  t.match(plane.requests, [
    {
      path: 'POST /v1/nodes/enroll',
      body: {
        token: options.token,
        name: 'berlin-1',
        version: '1.2.3',
        os: process.platform,
        arch: process.arch,
        capabilities: ['icmp'],
        declared,
      },
    },
  ]);
  t.match(identity, {
    name: 'berlin-1',
    controlUrls: [plane.url],
    audience: plane.url,
    enrolledAt: '2026-01-01T00:00:00.000Z',
  });
  const node = await openIdentity(options.stateDir);
  t.equal(node.nodeId, identity.nodeId);
  t.equal(Buffer.from(node.keys.current.publicKey).toString('base64'), plane.requests[0]?.body.public_key);
  t.equal(identity.serverPublicKey, plane.serverPublicKey);
  for (const name of ['key.pem', 'identity.json'])
    t.equal(statSync(join(options.stateDir, name)).mode & 0o777, 0o600, name);
  t.notOk(everythingIn(options.stateDir).includes(options.token), 'the token is in no file');
});

t.test('name and place are sent only if they are given', async (t) => {
  const plane = await aControlPlane(t);
  await enroll(anEnrollment(t, plane.url));
  const members = Object.keys(plane.requests[0]?.body ?? {}).toSorted();
  t.same(members, ['arch', 'capabilities', 'hostname', 'os', 'proof', 'public_key', 'token', 'version']);
});

t.test('a lost response is requested again with the same key, after growing delays', async (t) => {
  const plane = await aControlPlane(t);
  plane.answers.push(hangingUp, replying(502, 'bad gateway'), refusing(500, 'INTERNAL_ERROR'));
  const clock = new FakeClock();
  const waits: number[] = [];
  const enrolling = enroll(anEnrollment(t, plane.url, { clock, onRetry: (_error, waitMs) => waits.push(waitMs) }));
  for (const [index, expected] of [1_000, 2_000, 4_000].entries()) {
    await until('a wait begins', () => waits.length === index + 1 && clock.pendingTimers === 1);
    clock.advance(expected - 1);
    t.equal(clock.pendingTimers, 1, `waits ${expected} ms`);
    clock.advance(1);
  }
  await enrolling;
  t.same(waits, [1_000, 2_000, 4_000]);
  t.equal(plane.requests.length, 4);
  t.equal(new Set(plane.requests.map(({ body }) => body.public_key)).size, 1);
});

t.test('a later run of the command uses the key of the previous run', async (t) => {
  const plane = await aControlPlane(t);
  const options = anEnrollment(t, plane.url);
  plane.answers.push(replying(201, 'cut off'));
  await t.rejects(enroll(options), EnrollmentRefusedError);
  await enroll(options);
  t.equal(plane.requests[0]?.body.public_key, plane.requests[1]?.body.public_key);
});

t.test('enrolling gives up after five tries', async (t) => {
  const plane = await aControlPlane(t);
  plane.answers.push(...Array.from({ length: 9 }, () => replying(503, {})));
  const clock = new FakeClock();
  const waits: number[] = [];
  const enrolling = enroll(anEnrollment(t, plane.url, { clock, onRetry: (_error, waitMs) => waits.push(waitMs) }));
  enrolling.catch(() => {});
  for (let wait = 1; wait < 5; wait += 1) {
    await until('a wait begins', () => waits.length === wait && clock.pendingTimers === 1);
    clock.advance(60_000);
  }
  await t.rejects(enrolling, {
    name: 'EnrollmentUnansweredError',
    message: `${plane.url} responded with status 503`,
    isRetryable: true,
  });
  t.equal(plane.requests.length, 5);
});

t.test('a requested delay of the server is observed', async (t) => {
  const cases = [
    { name: 'seconds', header: '120', expectedMs: 121_000 },
    { name: 'a date', header: new Date(Date.UTC(2026, 0, 1, 0, 2)).toUTCString(), expectedMs: 121_000 },
    { name: 'a date gone by', header: 'Thu, 01 Jan 1970 00:00:00 GMT', expectedMs: 1_000 },
    { name: 'nonsense', header: 'soon', expectedMs: 1_000 },
  ];
  for (const { name, header, expectedMs } of cases) {
    await t.test(name, async (t) => {
      const plane = await aControlPlane(t);
      plane.answers.push(refusing(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': header }));
      const clock = new FakeClock();
      const waits: number[] = [];
      const enrolling = enroll(anEnrollment(t, plane.url, { clock, onRetry: (_error, waitMs) => waits.push(waitMs) }));
      await until('the wait begins', () => waits.length === 1 && clock.pendingTimers === 1);
      clock.advance(expectedMs);
      await enrolling;
      t.same(waits, [expectedMs]);
    });
  }
  const plane = await aControlPlane(t);
  plane.answers.push(refusing(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '86400' }));
  const error: unknown = await enroll(anEnrollment(t, plane.url)).catch((error: unknown) => error);
  t.match(error, { name: 'EnrollmentUnansweredError', retryAfterMs: 86_400_000 }, 'a day is left to the operator');
});

t.test('a refusal says what to do, never the token, and is not repeated', async (t) => {
  const cases = [
    {
      name: 'token',
      answer: refusing(401, 'NODE_ENROLLMENT_TOKEN_INVALID'),
      expected: /used, expired or revoked: request a new one.*enrollment-token create/,
    },
    {
      name: 'declared place',
      answer: refusing(400, 'VALIDATION_FAILED', {
        'declared.country': [{ code: 'format', message: 'is not an ISO 3166-1 country' }],
      }),
      expected: /does not accept --country: is not an ISO 3166-1 country/,
    },
    { name: 'key in use', answer: refusing(409, 'CONFLICT'), expected: /remove key.pem/ },
    {
      name: 'anything else',
      answer: refusing(403, 'FORBIDDEN'),
      expected: /refused the enrollment: it is FORBIDDEN \(FORBIDDEN\)/,
    },
    {
      name: 'another program',
      answer: replying(404, '<html>'),
      expected: /not a Vantage control plane \(status 404\)/,
    },
    {
      name: 'a redirect',
      answer: replying(302, '', { location: 'https://elsewhere.example/' }),
      expected: /not a Vantage control plane \(status 302\)/,
    },
    {
      name: 'success of another program',
      answer: replying(200, { data: { node_id: 'x' } }),
      expected: /not a Vantage control plane/,
    },
  ];
  for (const { name, answer, expected } of cases) {
    await t.test(name, async (t) => {
      const plane = await aControlPlane(t);
      plane.answers.push(answer);
      const options = anEnrollment(t, plane.url);
      await t.rejects(enroll(options), { name: 'EnrollmentRefusedError', message: expected, isRetryable: false });
      t.equal(plane.requests.length, 1);
      t.notOk(readdirSync(options.stateDir).includes('identity.json'));
    });
  }
});

t.test('an endless response is cut off', async (t) => {
  const plane = await aControlPlane(t);
  plane.answers.push(replying(201, 'x'.repeat(100_000)));
  const clock = new FakeClock();
  const errors: Error[] = [];
  const enrolling = enroll(anEnrollment(t, plane.url, { clock, onRetry: (error) => errors.push(error) }));
  await until('the wait begins', () => errors.length === 1 && clock.pendingTimers === 1);
  clock.advance(60_000);
  await enrolling;
  t.match(errors, [{ message: /the response is too long/ }]);
});

t.test('a server that repeats the token does not make it visible', async (t) => {
  const plane = await aControlPlane(t);
  const options = anEnrollment(t, plane.url);
  const details = { token: [{ code: 'format', message: `${options.token} is bad` }] };
  plane.answers.push(refusing(400, 'VALIDATION_FAILED', details));
  await t.rejects(enroll(options), { message: /token: \[token\] is bad/ });
});

t.test('a control plane with another URL is distinguished from a bad token', async (t) => {
  const plane = await aControlPlane(t, { publicUrl: 'https://vantage.example' });
  const expected = /has another URL than "http:\/\/127.*VANTAGE_PUBLIC_URL.*"https:\/\/vantage\.example"/;
  await t.rejects(enroll(anEnrollment(t, plane.url)), { name: 'EnrollmentRefusedError', message: expected });
});

t.test('input that cannot work is refused before anything is sent', async (t) => {
  const plane = await aControlPlane(t);
  const { token } = makeToken(tokenPrefixes.enrollment);
  const swapped = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
  const cases: { name: string; options: Partial<EnrollOptions>; expected: RegExp }[] = [
    { name: 'a typo', options: { token: swapped }, expected: /mistyped or incomplete/ },
    { name: 'a token cut off', options: { token: token.slice(0, -1) }, expected: /mistyped or incomplete/ },
    {
      name: 'another secret',
      options: { token: makeToken(tokenPrefixes.personalAccess).token },
      expected: /not an enrollment token/,
    },
    { name: 'nothing', options: { token: ' ' }, expected: /empty/ },
    { name: 'http to elsewhere', options: { url: 'http://vantage.example' }, expected: /not encrypted.*--insecure/ },
    { name: 'no URL', options: { url: 'vantage.example' }, expected: /not a URL/ },
  ];
  for (const { name, options, expected } of cases) {
    const error: unknown = await enroll(anEnrollment(t, plane.url, options)).catch((error: unknown) => error);
    t.ok(error instanceof EnrollmentInputError, name);
    t.match(String(error), expected, name);
    t.notOk(String(error).includes(options.token?.trim() || 'never'), `${name}: the message does not show it`);
  }
  t.same(plane.requests, []);
});

t.test('a token may come with the line end of the file it was in', async (t) => {
  const plane = await aControlPlane(t);
  const { token } = makeToken(tokenPrefixes.enrollment);
  await enroll(anEnrollment(t, plane.url, { token: `${token}\n` }));
  t.equal(plane.requests[0]?.body.token, token);
});

t.test('an enrolled node is not enrolled again', async (t) => {
  const plane = await aControlPlane(t);
  const options = anEnrollment(t, plane.url);
  const { nodeId } = await enroll(options);
  const again = enroll({ ...options, token: makeToken(tokenPrefixes.enrollment).token });
  await t.rejects(again, {
    name: 'AlreadyEnrolledError',
    message: new RegExp(`^already enrolled as ${nodeId} at ${plane.url}: to start over, stop the agent and remove "`),
  });
  t.equal(plane.requests.length, 1);
});

t.test('enrolling does not wait for a process that uses the state directory', async (t) => {
  const plane = await aControlPlane(t);
  const options = anEnrollment(t, plane.url, { stateDir: t.testdir() });
  const lock = lockStateDirectory(options.stateDir);
  await t.rejects(enroll(options), { name: 'StateDirectoryInUseError' });
  lock.release();
  await enroll(options);
});

t.test('a closed port is reported as such, and may be tried again', async (t) => {
  const plane = await aControlPlane(t);
  const clock = new FakeClock();
  const errors: EnrollmentUnansweredError[] = [];
  const enrolling = enroll(anEnrollment(t, 'http://127.0.0.1:1', { clock, onRetry: (error) => errors.push(error) }));
  enrolling.catch(() => {});
  for (let wait = 1; wait < 5; wait += 1) {
    await until('a wait begins', () => errors.length === wait && clock.pendingTimers === 1);
    clock.advance(60_000);
  }
  await t.rejects(enrolling, { message: /^no response from http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/ });
  t.equal(errors.length, 4);
  t.same(plane.requests, []);
});

t.test('a certificate that cannot be trusted ends it at once: no token is sent', async (t) => {
  for (const leaf of ['self-signed', 'expired', 'wrong-name', 'good'] as const) {
    let sent = 0;
    const { port } = await startTlsServer(t, tlsIdentity(leaf), (socket) =>
      socket.on('data', (bytes) => (sent += bytes.length)),
    );
    const expected = {
      name: 'EnrollmentRefusedError',
      code: 'UNTRUSTED',
      message: /certificate of .* is not trusted.*NODE_EXTRA_CA_CERTS/,
    };
    await t.rejects(enroll(anEnrollment(t, `https://127.0.0.1:${port}`)), expected, leaf);
    t.equal(sent, 0, leaf);
  }
});

t.test('a URL with the wrong scheme ends it at once, with the right one', async (t) => {
  const { port } = await startTlsServer(t, tlsIdentity('good'), () => {});
  await t.rejects(enroll(anEnrollment(t, `http://127.0.0.1:${port}`)), {
    name: 'EnrollmentInputError',
    message: `127.0.0.1:${port} uses TLS: use --url https://127.0.0.1:${port}`,
  });
  const plane = await aControlPlane(t);
  await t.rejects(enroll(anEnrollment(t, plane.url.replace('http:', 'https:'))), {
    name: 'EnrollmentInputError',
    message: `${new URL(plane.url).host} responds without TLS: use --url ${plane.url}`,
  });
});

t.test('the request leaves from the address it is bound to', async (t) => {
  const plane = await aControlPlane(t);
  let from = '';
  plane.answers.push((body, response) => {
    from = response.socket?.remoteAddress ?? '';
    refusing(401, 'NODE_ENROLLMENT_TOKEN_INVALID')(body, response);
  });
  await t.rejects(enroll(anEnrollment(t, plane.url, { bindAddress: '127.0.1.7' })), EnrollmentRefusedError);
  t.equal(from, '127.0.1.7');
});

t.test('a control plane that was reached over TLS cannot move the link to plain text', async (t) => {
  const { cert, key } = tlsIdentity('good');
  const server = createHttpsServer({ cert, key }, (_request, response) => {
    const data = {
      node_id: 'n_1111111111111111111111',
      control_urls: ['https://vantage.example', 'http://198.51.100.1'],
      server_public_key: Buffer.alloc(32, 9).toString('base64'),
      audience: 'https://vantage.example',
    };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  t.teardown(() => dispatcher.destroy());
  const { port } = server.address() as AddressInfo;
  const body = {
    token: 'ent_x',
    public_key: '',
    proof: '',
    hostname: '',
    version: '',
    os: '',
    arch: '',
    capabilities: [],
  };
  await t.rejects(requestEnrollment(`https://127.0.0.1:${port}`, body, { dispatcher, clock: systemClock }), {
    name: 'EnrollmentRefusedError',
    code: 'unencrypted_link',
    message: /198\.51\.100\.1.*must be https/,
  });
});

t.test('a full plan and a rate limit are distinguished, and use up no token', async (t) => {
  const plane = await aControlPlane(t);
  plane.answers.push(refusing(403, 'FEATURE_LOCKED'));
  await t.rejects(enroll(anEnrollment(t, plane.url)), {
    name: 'EnrollmentRefusedError',
    message: /as many nodes as the plan allows: delete one.*the token remains valid/,
  });
  const details = { token: [{ code: 'refused', message: 'the owner of this token may enroll 10 nodes an hour' }] };
  plane.answers.push(refusing(429, 'RATE_LIMIT_EXCEEDED', details, { 'retry-after': '2040' }));
  await t.rejects(enroll(anEnrollment(t, plane.url)), {
    name: 'EnrollmentUnansweredError',
    message: /refuses enrollments for 34 min: token: the owner of this token may enroll 10 nodes an hour \(429\)/,
    retryAfterMs: 2_040_000,
  });
  t.equal(plane.requests.length, 2, 'nobody waits half an hour at a prompt');
});

t.test('a limit that ends soon is waited for, and reported', async (t) => {
  const plane = await aControlPlane(t);
  plane.answers.push(refusing(429, 'RATE_LIMIT_EXCEEDED', {}, { 'retry-after': '42' }));
  const clock = new FakeClock();
  const said: string[] = [];
  const onRetry = (error: EnrollmentUnansweredError, waitMs: number) => void said.push(`${error.message} ${waitMs}`);
  const enrolling = enroll(anEnrollment(t, plane.url, { clock, random: () => 0, onRetry }));
  await until('the wait begins', () => said.length === 1 && clock.pendingTimers === 1);
  t.match(said, [/refuses enrollments for 42 s: too many agents, or wrong tokens, from this network.* 42000$/]);
  clock.advance(42_000);
  t.match(await enrolling, { nodeId: /^n_/ });
});
