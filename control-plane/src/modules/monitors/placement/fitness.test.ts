import { monitorTypeNames } from '@vantage/shared/monitor-types/index.js';
import type { SelfTestStatus } from '@vantage/shared/self-test.js';
import t from 'tap';
import { aNode } from '../../../../test/_support/a-node.js';
import type { Node } from '../../nodes/index.js';
import { fitnessFor, isPresent, OFFLINE_MS, toCandidate, type Wanted } from './fitness.js';
import { wantedOf } from './placing.js';

const owner = { ownerId: 'u_1', isAdmin: false, isTest: false };
const tcp: Wanted = { type: 'tcp', selection: {}, owner, family: null, secretReach: null };

const needs: Partial<Record<Wanted['type'], string>> = { ping: 'icmp_echo', traceroute: 'icmp', browser: 'browser' };

t.test('a monitor that needs a capability is checked by nodes that have it, any other by all', async (t) => {
  for (const type of monitorTypeNames) {
    const need = needs[type];
    const wanted = { ...tcp, type };
    t.equal(
      fitnessFor(wanted)(aNode({ capabilities: [] })),
      need === undefined,
      `${type} on a node that can do nothing`,
    );
    if (need === undefined) continue;
    t.equal(fitnessFor(wanted)(aNode({ capabilities: [need] })), true, `${type} with ${need}`);
    const others = ['icmp', 'icmp_echo', 'browser'].filter((capability) => capability !== need);
    t.equal(fitnessFor(wanted)(aNode({ capabilities: others })), false, `${type} with all but ${need}`);
  }
});

const tested = (name: string, status: SelfTestStatus): Partial<Node> => ({
  selfTest: { finished_at: '2026-11-22T11:59:00Z', checks: [{ name, status, detail: '' }] } as Node['selfTest'],
});
const families: readonly { name: string; node: Partial<Node>; family: Wanted['family']; fits: boolean }[] = [
  { name: 'an IPv6 target, a node without IPv6', node: tested('ipv6', 'failed'), family: 6, fits: false },
  { name: 'an IPv4 target, a node without IPv4', node: tested('ipv4', 'failed'), family: 4, fits: false },
  { name: 'an IPv4 target, a node without IPv6', node: tested('ipv6', 'failed'), family: 4, fits: true },
  { name: 'either family, a node without IPv6', node: tested('ipv6', 'failed'), family: null, fits: true },
  { name: 'a node that does not know whether it has IPv6', node: tested('ipv6', 'unknown'), family: 6, fits: true },
  { name: 'a node that has not tested itself', node: {}, family: 6, fits: true },
];

t.test('a target of one address family is left to nodes that have not found it missing', async (t) => {
  for (const { name, node, family, fits } of families) t.equal(fitnessFor({ ...tcp, family })(aNode(node)), fits, name);
});

t.test('a literal address asks for its family, unless it is on a network of the operator', async (t) => {
  const familyOf = (target: string) =>
    wantedOf({ type: 'tcp', target, config: {}, node_selection: {}, sealed_secrets: null }, owner)?.family;
  t.equal(familyOf('9.9.9.9:80'), 4);
  t.equal(familyOf('[2620:fe::fe]:80'), 6);
  t.equal(familyOf('example.com:80'), null);
  t.equal(familyOf('192.168.1.1:80'), null);
  t.equal(familyOf('[::1]:80'), null);
});

const others: readonly { name: string; node: Partial<Node>; wanted?: Partial<Wanted>; fits: boolean }[] = [
  { name: 'a node without a link', node: { sessionId: null }, fits: true },
  { name: 'a banned node', node: { isBanned: true }, fits: false },
  { name: 'a draining node', node: { isDraining: true }, fits: false },
  { name: 'a private node of somebody else', node: { isPublic: false }, fits: false },
  { name: 'an own private node', node: { isPublic: false, ownerId: 'u_1' }, fits: true },
  { name: 'own nodes alone, a public one', node: {}, wanted: { selection: { owned: true } }, fits: false },
  { name: 'own nodes alone, an own', node: { ownerId: 'u_1' }, wanted: { selection: { owned: true } }, fits: true },
  { name: 'another country', node: { country: 'AT' }, wanted: { selection: { countries: ['DE'] } }, fits: false },
  { name: 'that country', node: { country: 'DE' }, wanted: { selection: { countries: ['DE'] } }, fits: true },
];

t.test('a banned, draining, invisible or unselected node checks nothing', async (t) => {
  for (const { name, node, wanted, fits } of others)
    t.equal(fitnessFor({ ...tcp, ...wanted })(aNode(node)), fits, name);
});

t.test('secrets go to nodes of their owner and of administrators, or to those that their owner admits', async (t) => {
  const nodes = [aNode({ ownerId: 'u_1' }), aNode({ isOwnerAdmin: true }), aNode()];
  const fits = (secretReach: Wanted['secretReach'], by: Wanted['owner'] = owner) =>
    nodes.map(fitnessFor({ ...tcp, type: 'http', secretReach, owner: by }));
  t.strictSame(fits('own'), [true, false, false]);
  t.strictSame(fits('trusted'), [true, true, false]);
  t.strictSame(fits('any'), [true, true, true]);
  t.strictSame(fits(null), [true, true, true], 'there are none');
  const admin = { ownerId: 'u_2', isAdmin: true, isTest: false };
  t.strictSame(
    fits('trusted', admin),
    [false, true, false],
    'an administrator may use every node, and trusts not every one',
  );
  t.strictSame(fits('trusted', { ...owner, ownerId: null }), [false, true, false], 'nobody has no nodes');
});

t.test('a node is present while it has a link and for five minutes after, to the millisecond', async (t) => {
  const nowMs = Date.UTC(2026, 10, 22);
  const left = (agoMs: number) => ({ sessionId: null, leftAt: new Date(nowMs - agoMs) });
  t.equal(OFFLINE_MS, 300_000);
  t.equal(isPresent({ sessionId: 'ses_1', leftAt: null }, nowMs), true);
  t.equal(isPresent(left(OFFLINE_MS - 1), nowMs), true);
  t.equal(isPresent(left(OFFLINE_MS), nowMs), false);
  t.equal(isPresent({ sessionId: null, leftAt: null }, nowMs), false, 'one that never had a link');
});

t.test('nodes are spread over networks by default; a node of an unknown network is a group of its own', async (t) => {
  const node = aNode({ asn: 3320, country: 'DE', region: 'Western Europe' });
  const group = (spread: Wanted['selection']['spread'], of = node) => toCandidate(of, spread, 0).group;
  t.equal(group(undefined), '3320');
  t.equal(group('asn'), '3320');
  t.equal(group('country'), 'DE');
  t.equal(group('region'), 'Western Europe');
  t.equal(group('none'), node.id);
  const silent = aNode();
  for (const spread of ['asn', 'country', 'region'] as const) t.equal(group(spread, silent), silent.id);
  t.ok(toCandidate(node, 'asn', 2).room < toCandidate(node, 'asn', 1).room, 'less room under more load');
});
