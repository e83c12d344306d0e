import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startRbldnsd } from './_support/rbldnsd.js';
import { RealAgent } from './_support/real-agent.js';
import { writeLists } from './_support/reputation-world.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

skipFileWithout('rbldnsd');

t.test('a real node looks up the addresses of a domain and asks real DNS blocklists about them', async (t) => {
  const dns = await startRbldnsd(t, {
    'example.com': { type: 'generic', lines: ['shop A 80.1.1.1', 'shop A 80.1.1.2'] },
    'bl.example.net': { type: 'ip4set', lines: [':127.0.0.4:listed by the test', '80.1.1.2', '9.9.9.9'] },
    'quiet.example.net': { type: 'ip4set', lines: ['1.2.3.4'] },
    'refusing.example.net': { type: 'ip4set', lines: [':127.255.255.254:public resolver', '80.0.0.0/8'] },
  });
  const file = path.join(temporaryDirectory(t), 'ranges');
  writeFileSync(file, '80.1.0.0/16\n');
  const { api } = await startStack(t, {
    VANTAGE_REPUTATION_LISTS: writeLists(t, [{ name: 'ranges', signal: 'hosting', format: 'cidrs', file }]),
    VANTAGE_REPUTATION_DNSBL:
      'bl.example.net=127.0.0.4:vpn,quiet.example.net,refusing.example.net,unserved.example.net',
  });
  const agent = await RealAgent.enroll(t, api);
  await agent.run({ environment: { VANTAGE_DNS_SERVERS: dns, VANTAGE_DNSBL_SERVERS: dns } });
  await until('the list', async () => (await api.call('GET', '/v1/admin/lists')).body.data.items[0].is_current);
  const check = (q: string) => api.call('GET', `/v1/ip/reputation?q=${q}`);
  await until('the list in memory', async () => (await check('1.1.1.1')).status === 200);
  const { status, body } = await check('shop.example.com');
  t.equal(status, 200, JSON.stringify(body.error));
  t.match(body.data, {
    domain: 'shop.example.com',
    ip: '80.1.1.2',
    score: 65,
    risk_level: 'medium',
    types: ['vpn', 'hosting'],
    evidence: [
      { signal: 'vpn', weight: 60, description: 'DNS blocklist bl.example.net: 127.0.0.4' },
      { signal: 'hosting', weight: 5, description: /^list ranges of .*: 80\.1\.0\.0\/16$/ },
    ],
    blocklists: [
      { zone: 'bl.example.net', listed: true, code: '127.0.0.4' },
      { zone: 'quiet.example.net', listed: false, code: null },
      { zone: 'refusing.example.net', listed: null, code: null },
      { zone: 'unserved.example.net', listed: null, code: null },
    ],
    addresses: [
      { ip: '80.1.1.1', score: 25 },
      { ip: '80.1.1.2', score: 65 },
    ],
  });
});
