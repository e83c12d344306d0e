import { rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { temporaryDirectory } from '../test/_support/temporary-directory.js';
import { parseDenyList, TargetLists } from './target-lists.js';

/** Lists over a file with this text, whose time the test moves. */
function listsOf(t: Test, text: string | null, allow: readonly string[] = []) {
  const file = join(temporaryDirectory(t), 'deny.txt');
  if (text !== null) writeFileSync(file, text);
  const clock = new FakeClock();
  const changes: string[][] = [];
  const complaints: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void complaints.push(JSON.parse(line).msg) });
  const lists: TargetLists = new TargetLists({
    allow,
    denyFile: text === null ? null : file,
    clock,
    log,
    onChange: () => changes.push([...lists.policy.lists.denied]),
  });
  t.teardown(() => lists.stop());
  /** Lets the next re-read happen. */
  const pass = async (ms: number) => {
    await until('the next read to be waited for', () => clock.pendingTimers === 1);
    clock.advance(ms);
    if (ms >= 30_000) await until('the read', () => clock.pendingTimers === 1);
  };
  return { file, lists, clock, changes, complaints, pass };
}

t.test('a deny list has one entry per line, comments and blank lines apart', async (t) => {
  const text = '\ufeff# ours\r\n192.0.2.0/24   # the lab\r\n\r\n  evil.example  \r\n2001:db8::1\n#bad one\n';
  t.same(parseDenyList(text, 'deny.txt'), ['192.0.2.0/24', 'evil.example', '2001:db8::1']);
  t.same(parseDenyList('', 'deny.txt'), []);
});

t.test('the first line that can’t be denied is named with its number and file', async (t) => {
  for (const bad of ['10.0.0.1/8', '300.1.2.3', 'not a name', 'a..b', 'http://evil.example/']) {
    t.throws(() => parseDenyList(`# one\nevil.example\n${bad}\nalso bad\n`, '/etc/deny.txt'), {
      name: 'DenyListError',
      message: `line 3 of "/etc/deny.txt" is not a CIDR, an address or a domain name: "${bad}"`,
    });
  }
});

t.test('the policy has the deny list from the start, wherever a target is named by it', async (t) => {
  const { lists } = listsOf(t, 'evil.example\n9.9.9.0/24\n');
  await lists.start();
  for (const denied of ['evil.example', 'www.evil.example'])
    t.throws(() => lists.policy.checkName(denied), TargetError);
  t.throws(() => lists.policy.checkAddress('9.9.9.9'), TargetError);
  t.doesNotThrow(() => lists.policy.checkName('example.com'));
});

t.test('this machine’s own addresses are refused unless allowed', async (t) => {
  const own = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .map(({ address }) => address.replace(/%.*/, ''));
  t.ok(own.length > 0);
  const { lists } = listsOf(t, null);
  await lists.start();
  for (const address of own) t.throws(() => lists.policy.checkAddress(address), TargetError, address);
  t.same(new Set(lists.policy.lists.own), new Set(own));
  t.doesNotThrow(() => listsOf(t, null, ['127.0.0.0/8']).lists.policy.checkAddress('127.0.0.1'));
});

t.test('a change of the file applies within a minute and is reported once', async (t) => {
  const { file, lists, changes, pass } = listsOf(t, 'evil.example\n');
  await lists.start();
  t.same(changes, [['evil.example']]);
  writeFileSync(file, 'evil.example # still\nworse.example\n');
  await pass(29_999);
  t.doesNotThrow(() => lists.policy.checkName('worse.example'), 'not read yet');
  await pass(30_000);
  t.throws(() => lists.policy.checkName('worse.example'), TargetError);
  t.same(changes, [['evil.example'], ['evil.example', 'worse.example']]);
  writeFileSync(file, '\n# reworded\nevil.example\nworse.example\n');
  await pass(30_000);
  t.equal(changes.length, 2, 'another comment is no change');
  writeFileSync(file, '');
  await pass(30_000);
  t.doesNotThrow(() => lists.policy.checkName('evil.example'));
});

t.test('a file that becomes unreadable or wrong changes nothing, is complained about, and is read again', async (t) => {
  const { file, lists, changes, complaints, pass } = listsOf(t, 'evil.example\n');
  await lists.start();
  rmSync(file);
  await pass(30_000);
  writeFileSync(file, 'evil.example\nnot a name\n');
  await pass(30_000);
  t.throws(() => lists.policy.checkName('evil.example'), TargetError);
  t.equal(complaints.length, 2);
  t.match(complaints[0], /keeping the previous one/);
  t.equal(changes.length, 1);
  writeFileSync(file, 'worse.example\n');
  await pass(30_000);
  t.same(changes.at(-1), ['worse.example']);
});

t.test('a file that can’t be read, or has a bad line, at the start refuses to start', async (t) => {
  const { file, lists, clock } = listsOf(t, 'not a name\n');
  await t.rejects(lists.start(), { name: 'DenyListError', message: /^line 1 of/ });
  rmSync(file);
  await t.rejects(lists.start(), { name: 'DenyListError', message: `cannot read "${file}": ENOENT` });
  t.equal(clock.pendingTimers, 0);
});

t.test('stopped lists read nothing any more', async (t) => {
  const { lists, clock } = listsOf(t, 'evil.example\n');
  await lists.start();
  lists.stop();
  t.equal(clock.pendingTimers, 0);
});
