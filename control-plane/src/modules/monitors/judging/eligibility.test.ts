import type { SelfTestStatus } from '@vantage/shared/self-test.js';
import t from 'tap';
import { eligibleVotes } from './eligibility.js';
import type { VoteRow } from './state-store.js';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const well: VoteRow = {
  node_id: 'n_1',
  generation: 1,
  state_generation: 1,
  verdict: 'failing',
  since: new Date(NOW_MS - 60_000).toISOString(),
  error: null,
  is_linked: true,
  left_at: null,
  is_shut_out: false,
  self_test: null,
  complete_through: new Date(NOW_MS).toISOString(),
};

const selfTests: readonly { name: string; found: Readonly<Record<string, SelfTestStatus>>; mayVote: boolean }[] = [
  { name: 'nothing wrong', found: { clock: 'ok', resolver: 'ok', ipv4: 'ok', ipv6: 'ok' }, mayVote: true },
  { name: 'IPv4 only, no canary', found: { ipv4: 'unknown', ipv6: 'failed' }, mayVote: true },
  { name: 'IPv6 only, no canary', found: { ipv4: 'failed', ipv6: 'unknown' }, mayVote: true },
  { name: 'both, no canary', found: { ipv4: 'unknown', ipv6: 'unknown' }, mayVote: true },
  { name: 'IPv4 only, and its canaries are silent', found: { ipv4: 'failed', ipv6: 'failed' }, mayVote: false },
  { name: 'a wrong clock', found: { clock: 'failed', ipv4: 'ok' }, mayVote: false },
  { name: 'no resolver', found: { resolver: 'failed', ipv4: 'ok' }, mayVote: false },
  { name: 'no raw sockets', found: { icmp: 'failed', ipv4: 'ok' }, mayVote: true },
];

t.test('a node votes unless its clock, its resolver or both address families failed its own test', async (t) => {
  for (const { name, found, mayVote } of selfTests) {
    const checks = Object.entries(found).map(([test, status]) => ({ name: test, status, detail: '' }));
    const row = { ...well, self_test: { finished_at: '2026-11-22T11:59:00Z', checks } } as VoteRow;
    t.equal(eligibleVotes([row], 60, NOW_MS).length, mayVote ? 1 : 0, name);
  }
});
