import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { aPolicy } from '../../../test/_support/probe-context.js';
import { aCard, type RdapAnswer, rdapStatus, refersTo, startRegistries } from '../../../test/_support/registries.js';

const ADDRESS = '203.0.114.9';
const SIX = '2a01:4f8::9';

const aNetwork = (more: object = {}): Record<string, unknown> => ({
  objectClassName: 'ip network',
  handle: 'NET-203-0-114-0-1',
  startAddress: '203.0.114.0',
  endAddress: '203.0.115.127',
  name: 'EXAMPLE-NET',
  status: ['active'],
  events: [
    { eventAction: 'registration', eventDate: '2009-10-08T10:27:55-04:00' },
    { eventAction: 'last changed', eventDate: '2024-05-01T00:00:00Z' },
  ],
  entities: [
    {
      roles: ['registrant'],
      vcardArray: aCard({ kind: 'org', fn: 'Example Hosting LLC', adr: ['', '', '', '', '', '', 'us'] }),
      entities: [
        { roles: ['abuse'], vcardArray: aCard({ kind: 'group', fn: 'Abuse', email: 'network@hosting.example' }) },
        {
          roles: ['technical'],
          vcardArray: aCard({ kind: 'individual', fn: 'Eva Personal', email: 'eva.personal@x.example' }),
        },
      ],
    },
  ],
  ...more,
});

const network = {
  handle: 'NET-203-0-114-0-1',
  name: 'EXAMPLE-NET',
  cidrs: ['203.0.114.0/24', '203.0.115.0/25'],
  country: 'US',
  organization: 'Example Hosting LLC',
  abuse_email: 'network@hosting.example',
};

t.test('the network of an address is read from the RDAP server of its smallest block', async (t) => {
  const { look, requests, rdapHost } = await startRegistries(t, {
    entries: ['203.0.0.0/8'],
    rdap: aNetwork(),
  });
  const result = await look(ADDRESS);
  t.match(result, {
    success: true,
    kind: 'address',
    domain: null,
    registered: true,
    registered_at: '2009-10-08T14:27:55.000Z',
    updated_at: '2024-05-01T00:00:00.000Z',
    expires_at: null,
    status: ['active'],
    source: { protocol: 'rdap', server: rdapHost },
  });
  t.strictSame(result.network, network);
  t.equal(requests[1]?.path, `/rdap/ip/${ADDRESS}`);
  t.notMatch(JSON.stringify(result), /personal/i);
});

t.test('IPv6 addresses have networks too, and one without a network is not registered', async (t) => {
  const six = { startAddress: '2a01:4f8::', endAddress: '2a01:4f8:ffff:ffff:ffff:ffff:ffff:ffff', country: 'DE' };
  const found = await startRegistries(t, { entries: ['2a00::/12'], rdap: aNetwork(six) });
  t.match(await found.look(SIX), { registered: true, network: { cidrs: ['2a01:4f8::/32'], country: 'DE' } });
  t.equal(found.requests[1]?.path, `/rdap/ip/${SIX}`);
  const none = await startRegistries(t, { entries: ['2a00::/12'], rdap: rdapStatus(404, {}, { errorCode: 404 }) });
  t.match(await none.look(SIX), { success: true, registered: false, network: null });
});

t.test('a registry that redirects to another one is named as it, and each was asked', async (t) => {
  const other = await startHttpServer(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/rdap+json' });
      response.end(JSON.stringify(aNetwork()));
    },
    '127.0.0.2',
  );
  const redirect: RdapAnswer = (_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.2:${other.port}/ip/${ADDRESS}` });
    response.end();
  };
  const { look, rdapHost } = await startRegistries(t, { entries: ['203.0.0.0/8'], rdap: redirect });
  const result = await look(ADDRESS);
  t.match(result, { source: { protocol: 'rdap', server: `127.0.0.2:${other.port}` }, network });
  t.match(result.asked, [
    { server: rdapHost, outcome: 'answered' },
    { server: `127.0.0.2:${other.port}`, outcome: 'answered' },
  ]);
});

const arin = [
  '# ARIN WHOIS data',
  '',
  'NetRange:       203.0.112.0 - 203.0.127.255',
  'CIDR:           203.0.112.0/20',
  'NetName:        EXAMPLE-BLOCK',
  'NetHandle:      NET-203-0-112-0-1',
  'RegDate:        2009-10-08',
  'Updated:        2024-05-01',
  'Ref:            https://rdap.example/ip/203.0.112.0',
  '',
  'OrgName:        Example Hosting LLC',
  'OrgId:          EX-1',
  'Address:        Personal Street 1',
  'Country:        US',
  '',
  'OrgAbuseName:   Eva Personal',
  'OrgAbusePhone:  +49.5550199',
  'OrgAbuseEmail:  abuse@hosting.example',
].join('\r\n');

const ripe = [
  '% This is the RIPE Database query service.',
  '',
  "% Information related to '203.0.114.0 - 203.0.114.255'",
  '',
  "% Abuse contact for '203.0.114.0 - 203.0.114.255' is 'abuse@customer.example'",
  '',
  'inetnum:        203.0.114.0 - 203.0.114.255',
  'netname:        CUSTOMER-NET',
  'descr:          Eva Personal',
  'country:        FR',
  'created:        2012-01-02T03:04:05Z',
  'last-modified:  2025-01-02T03:04:05Z',
  '',
  'organisation:   ORG-EX1-RIPE',
  'org-name:       Customer SARL',
  'address:        Personal Street 2',
].join('\n');

t.test('WHOIS servers are asked along their referrals, and the last one that has the network counts', async (t) => {
  const { look, questions } = await startRegistries(t, {
    whois: {
      '127.0.0.1': refersTo('127.0.0.2'),
      '127.0.0.2': `${arin}\r\n\r\nReferralServer:  whois://127.0.0.3\r\n`,
      '127.0.0.3': ripe,
    },
  });
  const result = await look(ADDRESS);
  t.match(result, { registered: true, source: { protocol: 'whois', server: '127.0.0.3' } });
  t.strictSame(result.network, {
    handle: '203.0.114.0 - 203.0.114.255',
    name: 'CUSTOMER-NET',
    cidrs: ['203.0.114.0/24'],
    country: 'FR',
    organization: 'Customer SARL',
    abuse_email: 'abuse@customer.example',
  });
  t.strictSame(questions, [
    ['127.0.0.1', ADDRESS],
    ['127.0.0.2', ADDRESS],
    ['127.0.0.3', ADDRESS],
  ]);
  t.notMatch(JSON.stringify(result), /personal|5550199/i);
  await look(ADDRESS);
  t.equal(questions.length, 5, 'the referral of the root is known for a day');
});

t.test('a referral that fails leaves the record of the server that gave it', async (t) => {
  const { look } = await startRegistries(t, {
    whois: {
      '127.0.0.1': refersTo('127.0.0.2'),
      '127.0.0.2': `${arin}\r\n\r\nReferralServer:  whois://127.0.0.3\r\n`,
      '127.0.0.3': (_question, socket) => socket.resetAndDestroy(),
    },
  });
  const result = await look(ADDRESS);
  t.match(result, { success: true, source: { server: '127.0.0.2' } });
  t.match(result.network, {
    name: 'EXAMPLE-BLOCK',
    cidrs: ['203.0.112.0/20'],
    organization: 'Example Hosting LLC',
    country: 'US',
    abuse_email: 'abuse@hosting.example',
  });
  t.match(result.asked.at(-1), { server: '127.0.0.3', outcome: 'failed' });
});

t.test('a referral to a silent server leaves the record at the end of the time', async (t) => {
  const clock = new FakeClock();
  const { look, questions } = await startRegistries(t, {
    whois: {
      '127.0.0.1': refersTo('127.0.0.2'),
      '127.0.0.2': `${arin}\r\n\r\nReferralServer:  whois://127.0.0.3\r\n`,
      '127.0.0.3': () => {},
    },
  });
  const looking = look(ADDRESS, { clock });
  await until('the silent server is asked', () => questions.length === 3);
  clock.advance(60_000);
  t.match(await looking, { success: true, source: { server: '127.0.0.2' }, network: { name: 'EXAMPLE-BLOCK' } });
});

t.test('an organisation of LACNIC is shown, and a person who holds addresses is not', async (t) => {
  const answer = (owner: string, id: string) =>
    `inetnum:     203.0.112/20\nowner:       ${owner}\nownerid:     ${id}\nresponsible: Eva Personal\ncountry:     BR\n`;
  for (const [owner, id, organization] of [
    ['Exemplo S.A.', '00.000.000/0001-91', 'Exemplo S.A.'],
    ['Eva Personal', '123.456.789-09', null],
  ] as const) {
    const { look } = await startRegistries(t, {
      whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': answer(owner, id) },
    });
    const result = await look(ADDRESS);
    t.match(result, { registered: true, network: { cidrs: ['203.0.112.0/20'], country: 'BR', organization } });
    t.notMatch(JSON.stringify(result), /personal/i);
  }
});

t.test('an answer about other addresses does not count', async (t) => {
  const other = { startAddress: '198.51.0.0', endAddress: '198.51.0.255' };
  for (const rdap of [aNetwork(other), aNetwork({ endAddress: 'x' }), aNetwork({ objectClassName: 'domain' })]) {
    const { look } = await startRegistries(t, {
      entries: ['203.0.0.0/8'],
      rdap,
      whois: { '127.0.0.1': refersTo('127.0.0.2'), '127.0.0.2': ripe.replaceAll('203.0.114', '198.51.0') },
    });
    t.match(await look(ADDRESS), {
      success: false,
      registered: null,
      network: null,
      error: {
        code: 'no_reply',
        message: /RDAP: responded with 200 without RDAP data; WHOIS: returned no readable record/,
      },
    });
  }
});

t.test('nothing is asked about addresses that the policy refuses', async (t) => {
  const { look, requests, questions } = await startRegistries(t, { entries: ['10.0.0.0/8'], rdap: aNetwork() });
  const policy = aPolicy(['127.0.0.1/32']);
  for (const target of ['10.1.2.3', '127.0.0.2', 'fd00::1', '169.254.169.254'])
    t.match(await look(target, { policy }), { success: false, error: { code: 'target_not_allowed' } }, target);
  t.equal(requests.length + questions.length, 0);
});
