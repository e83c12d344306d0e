import type { DoctorCheck } from '@vantage/shared/terminal/check-lines.js';
import t from 'tap';
import { testdata } from '../../test/_support/testdata.js';
import {
  judgeAgents,
  judgeBus,
  judgeCertificate,
  judgeClock,
  judgeDatabase,
  judgeDisk,
  judgeFiles,
  judgeMail,
  judgeMigrations,
  judgePublicUrl,
  judgeReplicas,
  judgeSecretKey,
  judgeSettings,
} from './judgements.js';

const GIB = 1024 ** 3;
const certificate = String(testdata('localhost.crt.pem'));
const key = String(testdata('localhost.key.pem'));
const issuedAt = Date.parse('2026-01-01');
const presented = (change: object, nowMs: number) =>
  judgeCertificate({ certificate, key, host: 'localhost', ...change }, nowMs);
const failure = (code: string) => Object.assign(new Error(code.toLowerCase()), { code });
const expiry = new Date('Oct 28 00:38:36 2126 GMT').getTime();

const cases: readonly (readonly [DoctorCheck, DoctorCheck['status'], RegExp])[] = [
  [judgeSettings([]), 'ok', /known/],
  [judgeSettings(['unknown variable VANTAGE_LISTN']), 'warning', /VANTAGE_LISTN/],
  [judgeDatabase(null, { version: '18.4', tookMs: 0.3 }), 'ok', /PostgreSQL 18.4 responds in 0.3 ms/],
  [judgeDatabase(null, { version: '18.4', tookMs: 30 }), 'warning', /30.0 ms/],
  [judgeDatabase(null, { version: '13.2', tookMs: 1 }), 'failed', /13.2/],
  [judgeDatabase('connect ECONNREFUSED', null), 'failed', /ECONNREFUSED/],
  [judgeMigrations({ pending: [], ahead: [] }, null), 'ok', /tables of this version/],
  [judgeMigrations({ pending: ['0013-rollouts'], ahead: [] }, null), 'warning', /0013-rollouts/],
  [judgeMigrations({ pending: [], ahead: ['9999-later'] }, null), 'warning', /newer version, .*works: 9999-later/],
  [judgeMigrations({ pending: [], ahead: [] }, 'newer'), 'failed', /newer/],
  [judgeReplicas(2), 'ok', /2 running/],
  [judgeReplicas(0), 'warning', /none/],
  [judgeBus('NATS', null), 'ok', /NATS/],
  [judgeBus('NATS', 'cannot connect'), 'warning', /cannot connect/],
  [judgeMail('/data/mail', null), 'warning', /files in \/data\/mail/],
  [judgeMail(null, 'the mail server refused AUTH PLAIN'), 'failed', /AUTH PLAIN/],
  [judgeMail(null, null), 'ok', /accepts/],
  [judgeClock(1_999, 'the database'), 'ok', /agrees with the database/],
  [judgeClock(-60_000, 'the database'), 'failed', /60 s behind the database/],
  [judgeClock(60_000, 'the database'), 'failed', /60 s ahead of the database/],
  [judgeClock(null, 'the database'), 'warning', /nothing to compare/],
  [judgeDisk('/data', { free: 50 * GIB, total: 100 * GIB }), 'ok', /50.0 of 100.0 GiB/],
  [judgeDisk('/data', { free: 4 * GIB, total: 100 * GIB }), 'warning', /4.0/],
  [judgeDisk('/data', { free: GIB / 5, total: GIB }), 'failed', /0.2/],
  [judgeDisk('/data', null), 'failed', /cannot read \/data/],
  [judgeSecretKey(null, 0o100600, true), 'ok', /decrypts/],
  [judgeSecretKey(null, null, false), 'ok', /no server/],
  [judgeSecretKey(null, 0o100644, true), 'warning', /open to other users/],
  [judgeSecretKey('does not decrypt', null, true), 'failed', /does not decrypt/],
  [presented({}, expiry - 30 * 86_400_000), 'ok', /valid until/],
  [presented({}, expiry - 13 * 86_400_000), 'warning', /, 13 days/],
  [presented({}, expiry + 86_400_000), 'failed', /expired/],
  [presented({ host: 'vantage.example' }, issuedAt), 'failed', /not for vantage.example/],
  [presented({ key: 'no key' }, issuedAt), 'failed', /cannot be read/],
  [judgeFiles('the server', 65_536, 100), 'ok', /65536, has 100/],
  [judgeFiles('the server', 1_024, 100), 'warning', /1024/],
  [judgeFiles('the server', 65_536, 60_000), 'failed', /60000/],
  [judgePublicUrl('https://v.example', 200, true), 'ok', /responds/],
  [judgePublicUrl('https://v.example', 502, true), 'failed', /responds with 502/],
  [judgePublicUrl('https://v.example', failure('ECONNREFUSED'), true), 'failed', /respond: ECONNREFUSED/],
  [judgePublicUrl('https://v.example', failure('DEPTH_ZERO_SELF_SIGNED_CERT'), true), 'failed', /is not trusted/],
  [judgeAgents([], 0, '0.2.0'), 'ok', /no node/],
  [judgeAgents([{ version: '0.2.0', nodes: 3, online: 2 }], 0, '0.2.0'), 'ok', /0.2.0: 2 of 3 online/],
  [judgeAgents([{ version: '0.1.0', nodes: 3, online: 2 }], 1, '0.2.0'), 'failed', /1 share no protocol/],
];

for (const [check, status, detail] of cases)
  t.test(`${check.name} with "${check.detail}" is ${status}`, async (t) => {
    t.match(check, { status, detail });
    if (status !== 'ok') t.match(check.remedy, /\w{3}/, 'says what to do');
  });

t.test('older agents are no defect, but the command that upgrades them is named', async (t) => {
  const check = judgeAgents([{ version: '0.1.0', nodes: 3, online: 2 }], 0, '0.2.0');
  t.match(check, { status: 'ok', remedy: 'to upgrade: `vantage-control rollout start --to 0.2.0`' });
  const candidate = judgeAgents([{ version: '0.2.0-rc.1', nodes: 1, online: 1 }], 0, '0.2.0');
  t.match(candidate, { status: 'ok', remedy: 'to upgrade: `vantage-control rollout start --to 0.2.0`' });
});

t.test('agents that are newer than the control plane are not to be replaced by its version', async (t) => {
  const check = judgeAgents([{ version: '0.2.0', nodes: 3, online: 2 }], 0, '0.2.0-rc.1');
  t.match(check, { status: 'ok', remedy: null });
});
