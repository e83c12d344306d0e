import { AUTHORITATIVE_ANSWER } from 'dns-packet';
import t from 'tap';
import { dnsMessage } from '../../../test/_support/dns-server.js';
import { decodeMessage } from '../../net/dns/message.js';
import { judgeAnswer } from './delegation.js';

const NAME = 'www.site.example.com';
type Parts = Parameters<typeof dnsMessage>[0];

function judged(zone: string, parts: Parts) {
  const bytes = dnsMessage({ id: 1, questions: [{ name: NAME, type: 'A' }], ...parts });
  return judgeAnswer(decodeMessage(bytes), { name: NAME, type: 'A' }, zone);
}

const ns = (zone: string, server: string) => ({ type: 'NS', name: zone, data: server }) as const;
const glue = (server: string, address: string) => ({ type: 'A', name: server, data: address }) as const;

t.test('a referral leads down, and its glue counts at or below the zone of who gave it', async (t) => {
  const found = judged('com', {
    authorities: [ns('site.example.com', 'ns.site.example.com'), ns('SITE.example.com', 'ns.other.net')],
    additionals: [glue('NS.site.example.com', '1.1.1.1'), glue('ns.other.net', '6.6.6.6')],
  });
  t.match(found, { outcome: 'referral', message: null });
  t.strictSame(found.delegation, {
    zone: 'site.example.com',
    servers: [
      { name: 'ns.site.example.com', addresses: ['1.1.1.1'] },
      { name: 'ns.other.net', addresses: [] },
    ],
  });
  const byRoot = judged('.', {
    authorities: [ns('com', 'ns.other.net')],
    additionals: [glue('ns.other.net', '6.6.6.6')],
  });
  t.strictSame(
    byRoot.delegation?.servers,
    [{ name: 'ns.other.net', addresses: ['6.6.6.6'] }],
    'the root knows all names',
  );
});

t.test('an authoritative answer ends the walk: records, an alias, nothing, no such name', async (t) => {
  const flags = AUTHORITATIVE_ANSWER;
  t.match(judged('com', { flags, answers: [glue(NAME, '1.1.1.1')] }), { outcome: 'answer' });
  t.match(judged('com', { flags, answers: [{ type: 'CNAME', name: NAME, data: 'x.example.com' }] }), {
    outcome: 'answer',
  });
  t.match(judged('com', { flags }), { outcome: 'nodata' });
  t.match(judged('com', { flags, answers: [glue('other.example.com', '1.1.1.1')] }), { outcome: 'nodata' });
  t.match(judged('com', { flags, rcode: 'NXDOMAIN' }), { outcome: 'nxdomain' });
});

t.test('a server that does not serve its zone is lame, with the reason', async (t) => {
  const cases: { what: string; zone?: string; parts: Parts; message: RegExp }[] = [
    { what: 'refusal', parts: { rcode: 'REFUSED' }, message: /answers REFUSED/ },
    { what: 'failure', parts: { rcode: 'SERVFAIL' }, message: /answers SERVFAIL/ },
    { what: 'a cached answer', parts: { answers: [glue(NAME, '1.1.1.1')] }, message: /not authoritative/ },
    { what: 'a cached absence', parts: { rcode: 'NXDOMAIN' }, message: /not authoritative/ },
    { what: 'nothing at all', parts: {}, message: /not authoritative/ },
    { what: 'upward', parts: { authorities: [ns('com', 'a.gtld.net')] }, message: /upward to "com"/ },
    { what: 'to the root', parts: { authorities: [ns('.', 'a.root.net')] }, message: /upward to "\."/ },
    { what: 'in a circle', parts: { authorities: [ns('example.com', 'a.gtld.net')] }, message: /its own zone/ },
    { what: 'aside', parts: { authorities: [ns('example.org', 'a.org')] }, message: /not below its zone/ },
    { what: 'past the name', parts: { authorities: [ns('other.example.com', 'a.org')] }, message: /not in/ },
  ];
  for (const { what, parts, message } of cases)
    t.match(judged('example.com', parts), { outcome: 'lame', message, delegation: null }, what);
});
