import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { startWitness } from './_support/witness.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { CLOSED_PORT, type Misbehaviour, misbehaviours } from './programs/misbehaviours.js';

// What strangers may try, each through the agent's own measuring process, with packet counters as the witness.

const skip = await missingForLab({ servers: ['dns', 'web', 'hostile'], programs: ['nft', 'ping'] });

if (skip !== false) t.test('bad input does no harm', { skip }, async () => {});
else {
  const lab = await startLab({ servers: ['dns', 'web', 'hostile'] });
  const prober = await startProber(lab);
  // its first answer says that it has finished probing itself, which it does over loopback
  await prober.probe('tcp', '25.80.10.10', { port: 80 });
  const witness = await startWitness(lab);
  t.teardown(async () => {
    await prober.stop();
    await lab.stop();
  });

  /** The verdict on each spec, side by side. */
  const verdicts = (specs: readonly { type: string; spec: unknown }[]) =>
    Promise.all(specs.map(async ({ type, spec }) => (await prober.probeRaw(type, spec)).error?.code ?? 'success'));
  /** Specification of each type of probe for a host; dns queries it. */
  const aimed = (type: ProbeType, host: string) => {
    const bracketed = host.includes(':') ? `[${host}]` : host;
    if (type === 'dns') return { type, spec: { target: 'www.lab.test', params: { server: host } } };
    const isUrl = definitionOf(type).exampleTarget.includes('://');
    if (isUrl) return { type, spec: { target: `http://${bracketed}/`, params: {} } };
    return { type, spec: { target: host, params: type === 'tcp' ? { port: 80 } : {} } };
  };

  t.test('addresses and names that are refused at once, by every type of probe', async (t) => {
    const literals = ['127.0.0.1', '127.1', '0', '2130706433', '0x7f000001', '0177.0.0.1', '::1', '::ffff:127.0.0.1'];
    const translated = ['64:ff9b::a9fe:a9fe', '2002:7f00:1::', 'fe80::1', 'fd00:ec2::254', 'ff02::1', '2001:db8::1'];
    const special = ['169.254.169.254', '168.63.129.16', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'];
    const privateRanges = ['0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.0.1', '192.0.2.1', '203.0.113.1', '240.0.0.1'];
    const names = ['localhost', 'foo.localhost', 'metadata.google.internal', 'router', 'a..b', '-oProxyCommand=x'];
    const own = ['25.80.1.1', '25.80.1.2', '2d00:80:1::1', '2d00:80:1::2', '25.80.10.54'];
    const hosts = [...literals, ...translated, ...special, ...privateRanges, ...names, ...own];
    for (const type of probeTypeNames) {
      const answers = await verdicts(hosts.map((host) => aimed(type, host)));
      for (const [index, host] of hosts.entries()) t.equal(answers[index], 'target_not_allowed', `${type} ${host}`);
    }
  });
  t.test('targets and parameters of the wrong shape are refused at once', async (t) => {
    const http = (target: string, params: object = {}) => ({ type: 'http', spec: { target, params } });
    const tooLong = `${'a.'.repeat(125)}test`;
    const cases = {
      'a name and a password': http('http://u:p@www.lab.test/'),
      'a backslash before an at sign': http('http://127.0.0.1\\@www.lab.test/'),
      'a file': http('file:///etc/passwd'),
      gopher: http('gopher://www.lab.test/'),
      'a mail port': http('http://www.lab.test:25/'),
      'a database port': http('http://www.lab.test:5432/'),
      'a name of 254 characters': http(`http://${tooLong}/`),
      'a name of 254 characters, pinged': { type: 'ping', spec: { target: tooLong, params: {} } },
      'a name of 254 characters as DNS server': {
        type: 'dns',
        spec: { target: 'lab.test', params: { server: tooLong } },
      },
      'port 0': { type: 'tcp', spec: { target: 'www.lab.test', params: { port: 0 } } },
      'port 65536': { type: 'tcp', spec: { target: 'www.lab.test:65536', params: {} } },
      'a line break in a header': http('http://www.lab.test/', { headers: { 'X-A': 'b\r\nHost: 127.0.0.1' } }),
      'a framing header': http('http://www.lab.test/', { headers: { 'Transfer-Encoding': 'chunked' } }),
      'a Host header': http('http://www.lab.test/', { headers: { Host: '127.0.0.1' } }),
      TRACE: http('http://www.lab.test/', { method: 'TRACE' }),
      CONNECT: http('http://www.lab.test/', { method: 'CONNECT' }),
      'an unknown parameter': http('http://www.lab.test/', { proxy: 'http://127.0.0.1/' }),
      'an unknown type': { type: 'exec', spec: { target: 'www.lab.test', params: {} } },
      'no spec at all': { type: 'ping', spec: null },
    };
    const answers = await verdicts(Object.values(cases));
    for (const [index, what] of Object.keys(cases).entries()) {
      t.match(answers[index], /^(?:target_not_allowed|not_supported)$/, what);
    }
  });

  t.test('names that lead to where no probe may go are refused after resolution, by every type of probe', async (t) => {
    for (const name of ['private', 'mixed', 'mapped', 'metadata', 'localhost']) {
      const answers = await verdicts(probeTypeNames.map((type) => aimed(type, `${name}.hostile.test`)));
      for (const [index, type] of probeTypeNames.entries())
        t.equal(answers[index], 'target_not_allowed', `${type} ${name}`);
    }
    const custom = {
      type: 'http',
      spec: { target: 'http://www.lab.test/', params: { resolver: 'private.hostile.test' } },
    };
    t.strictSame(await verdicts([custom]), ['target_not_allowed'], 'a resolver by name');
  });

  t.test('a name whose second answer turns private is resolved once, and refused the next time', async (t) => {
    const params = { resolver: '25.80.10.66' };
    const first = await prober.probe('http', 'http://turning.hostile.test/', params);
    t.match(first, { success: true, resolved_ip: '25.80.10.10' });
    const second = await prober.probe('http', 'http://turning.hostile.test/', params);
    t.match(second, { success: false, error: { code: 'target_not_allowed' } });
  });

  t.test('redirects to where no probe may go are not followed', async (t) => {
    for (const where of ['private', 'file', 'database']) {
      const result = await prober.probe('http', `http://www.lab.test/redirect/${where}`, { follow_redirects: true });
      t.match(result, { success: false, error: { code: 'target_not_allowed' } }, where);
      t.equal(result.redirects.length, 1, where);
    }
  });

  t.test('what hostile web servers answer is survived, each with its verdict', async (t) => {
    const cases: Readonly<Record<Misbehaviour, string>> = {
      'endless-body': 'success',
      'one-byte-every-5-seconds': 'http_timeout',
      'ten-megabytes-of-headers': 'http_headers_too_large',
      'hundred-thousand-header-lines': 'http_headers_too_large',
      'endless-interim-responses': 'http_protocol',
      'http-0.9': 'http_protocol',
      'wrong-chunk-sizes': 'http_protocol',
      'brotli-bomb': 'body_too_large',
      'reset-after-request': 'tcp_reset',
      'reset-after-accept': 'tcp_reset',
      'never-reads': 'http_timeout',
      'half-close': 'http_protocol',
      'silent-after-accept': 'http_timeout',
      'endless-banner': 'http_protocol',
      'two-lengths': 'http_protocol',
      'short-body': 'http_protocol',
    };
    // 160 KB fill every buffer on the way to a program that never reads: its window closes
    const padding = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`X-${index}`, 'y'.repeat(4096)]));
    const paramsOf: Partial<Record<Misbehaviour, object>> = {
      'one-byte-every-5-seconds': { timeout_ms: 20_000 },
      'never-reads': { method: 'POST', body: 'x'.repeat(32_768), headers: padding, timeout_ms: 10_000 },
      'silent-after-accept': { timeout_ms: 10_000 },
    };
    const names = Object.keys(cases) as Misbehaviour[];
    const answers = await verdicts(
      names.map((name) => {
        const target = `http://hostile.lab.test:${misbehaviours[name]}/`;
        return { type: 'http', spec: { target, params: paramsOf[name] ?? {} } };
      }),
    );
    for (const [index, name] of names.entries()) t.equal(answers[index], cases[name], name);
    const silent = { type: 'http', spec: { target: 'http://25.80.11.1/', params: { timeout_ms: 1000 } } };
    const closed = { type: 'http', spec: { target: `http://hostile.lab.test:${CLOSED_PORT}/`, params: {} } };
    t.strictSame(await verdicts([silent, closed]), ['tcp_timeout', 'tcp_refused']);
    const banner = await prober.probe('tcp', `hostile.lab.test:${misbehaviours['endless-banner']}`, { banner: true });
    t.match(banner, { success: true, banner: 'x'.repeat(256) });
  });

  t.test('certificates that are not good are recorded, and fail a probe only where it asks for that', async (t) => {
    const cases = { expired: 'tls_expired', 'self-signed': 'tls_self_signed', 'wrong-name': 'tls_name_mismatch' };
    for (const [name, code] of Object.entries(cases)) {
      const lenient = await prober.probe('http', `https://${name}.lab.test/`);
      t.match(lenient, { success: true, status_code: 200, tls: { authorized: false, authorization_error: /./ } }, name);
      const strict = await prober.probe('http', `https://${name}.lab.test/`, { verify_tls: true });
      t.match(strict, { success: false, error: { code } }, name);
    }
    t.match(await prober.probe('http', 'https://www.lab.test/', { verify_tls: true }), { success: true });
    t.match(await prober.probe('http', 'https://legacy.lab.test/'), {
      success: true,
      tls: { protocol: /^TLSv1(?:\.1)?$/ },
    });
  });

  t.test('what hostile name servers answer is survived, each with its verdict', async (t) => {
    const ask = (name: string, timeout_ms: number) =>
      prober.probe('dns', `${name}.hostile.test`, { server: '25.80.10.66', timeout_ms });
    // only those that never get an answer are short of time
    const [wrongId, silent] = await Promise.all([ask('wrong-id', 1_000), ask('silent', 1_000)]);
    t.match(wrongId, { success: false, error: { code: 'dns_timeout' }, records: [] });
    t.match(silent, { success: false, error: { code: 'dns_timeout' } });
    t.match(await ask('cut', 20_000), { success: true, transport: 'tcp', records: [{ value: '25.80.10.10' }] });
    const many = await ask('thousand', 20_000);
    t.match(many, { success: true, transport: 'tcp' });
    t.equal(many.records.length, 1000);
    const connecting = await prober.probe('tcp', 'thousand.hostile.test:80');
    t.match(connecting, { success: false, error: { code: 'host_unreachable' } });
  });

  t.test(
    'echo replies from another address or with another identifier do not count; copies are duplicates',
    async (t) => {
      const params = { count: 2, interval_ms: 200, timeout_ms: 500 };
      const forged = ['25.80.10.67', '2d00:80:10::67', '25.80.10.68', '2d00:80:10::68'];
      const results = await Promise.all(forged.map((target) => prober.probe('ping', target, params)));
      for (const [index, target] of forged.entries()) {
        t.match(
          results[index],
          { success: false, error: { code: 'no_reply' }, packets_sent: 2, packets_received: 0 },
          target,
        );
      }
      t.equal(await lab.exec('far', 'sh', '-c', "nft list ruleset | grep -c 'packets 2 '"), '4\n', 'they were sent');
      await lab.setLink(4, 'back', { duplicateRatio: 1 });
      const copied = ['25.80.10.66', '2d00:80:10::66'].map(async (target) => {
        const result = await prober.probe('ping', target, { ...params, count: 3, timeout_ms: 5_000 });
        t.match(result, { packets_sent: 3, packets_received: 3, loss_pct: 0 }, target);
        t.ok(result.replies.filter(({ duplicate }) => duplicate).length >= 2, 'the last copy may come too late');
      });
      await Promise.all(copied);
      await lab.setLink(4, 'back', { duplicateRatio: 0 });
    },
  );

  t.test('not one packet went to where no probe may go, and the witness would have seen it', async (t) => {
    t.strictSame(prober.faults, [], 'no engine threw, answered outside of its schema or ignored its abort');
    t.strictSame(await witness.seen(), {});
    await witness.control();
    const seen = await witness.seen();
    for (const range of witness.ranges) t.ok((seen[range] ?? 0) > 0, range);
  });
}
