import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { allGone, childrenOf, isAlive } from '../../test/_support/enrolled-agent.js';
import {
  aCheck,
  aJob,
  growChild,
  resultOf,
  startMeasuring,
  successorOf,
} from '../../test/_support/measuring-fixture.js';

// What MeasuringProcess does with a child that has grown.

t.test('a child that has grown is replaced: it finishes its jobs, the others go to a fresh one', async (t) => {
  const measuring = startMeasuring(t);
  const held = aJob('hang.example');
  const answer = measuring.measure(held);
  const old = await growChild(measuring);
  await until('a successor is forked', () => childrenOf(process.pid).length === 2);
  measuring.setLists({ own: [], denied: ['evil.example'] });
  const fresh = await successorOf(measuring, old);
  const next = await Promise.all(Array.from({ length: 20 }, () => measuring.measure(aJob('ok.example'))));
  t.ok(next.every((measurement) => resultOf(measurement).banner === String(fresh)));
  const evil = resultOf(await measuring.measure(aJob('www.evil.example')));
  t.match(evil, { error: { code: 'target_not_allowed' } }, 'lists that came while it was loading are its lists too');
  t.ok(isAlive(old));
  t.equal(measuring.running, 1);
  measuring.cancel(held.id);
  t.match(resultOf(await answer), { error: { code: 'cancelled' } });
  await allGone([old]);
  t.same(childrenOf(process.pid), [fresh]);
  t.same(await measuring.ready(), ['icmp']);
});

t.test('a child that has grown finishes its checks as well, and only then ends', async (t) => {
  const measuring = startMeasuring(t);
  const held = aCheck('hang.example');
  const answer = measuring.check(held);
  const old = await growChild(measuring);
  const fresh = await successorOf(measuring, old);
  t.match((await measuring.check(aCheck('ok.example'))).judgment, { outcome: 'ok' }, 'by the fresh one');
  t.ok(isAlive(old));
  measuring.cancel(held.id);
  t.match((await answer).judgment, { outcome: 'failed', error: { code: 'cancelled' } });
  await allGone([old]);
  t.same(childrenOf(process.pid), [fresh]);
});

t.test('until its successor is ready the child that has grown gets the jobs, and the lists', async (t) => {
  const measuring = startMeasuring(t, { successors: ['loading'] });
  const old = await growChild(measuring);
  await until('a successor is forked', () => childrenOf(process.pid).length === 2);
  measuring.setLists({ own: [], denied: ['evil.example'] });
  t.match(resultOf(await measuring.measure(aJob('www.evil.example'))), { error: { code: 'target_not_allowed' } });
  t.match(resultOf(await measuring.measure(aJob('ok.example'))), { success: true, banner: String(old) });
  const [, fresh] = childrenOf(process.pid);
  process.kill(old, 'SIGKILL');
  t.equal(await successorOf(measuring, old), fresh, 'a child that dies is followed by the one that is loading');
});

t.test('a successor that dies before it is ready leaves the child at work; a minute later comes another', async (t) => {
  let forks = 0;
  const onFork = () => {
    forks += 1;
  };
  const measuring = startMeasuring(t, { successors: ['dying'], onFork });
  const old = await growChild(measuring);
  // it may be dead before anybody has seen two children
  await until('a successor is forked', () => forks === 2);
  await until('it is dead', () => childrenOf(process.pid).length === 1);
  t.match(resultOf(await measuring.measure(aJob('minute.example'))), { success: true, banner: String(old) });
  t.not(await successorOf(measuring, old), old);
});

t.test('an old child that dies before it has finished fails its own jobs alone', async (t) => {
  const measuring = startMeasuring(t);
  const lost = measuring.measure(aJob('hang.example'));
  const old = await growChild(measuring);
  const fresh = await successorOf(measuring, old);
  const kept = aJob('hang.example');
  const answer = measuring.measure(kept);
  process.kill(old, 'SIGKILL');
  t.match(resultOf(await lost), { error: { code: 'internal', message: 'the measuring process ended' } });
  t.equal(measuring.pid, fresh);
  measuring.cancel(kept.id);
  t.match(resultOf(await answer), { error: { code: 'cancelled' } });
});

t.test('stop ends all: the child, those that finish and one that loads', async (t) => {
  const measuring = startMeasuring(t, { successors: ['misbehaving', 'loading'] });
  const held = measuring.measure(aJob('hang.example'));
  await successorOf(measuring, await growChild(measuring));
  await growChild(measuring);
  await until('three are there', () => childrenOf(process.pid).length === 3);
  const pids = childrenOf(process.pid);
  await measuring.stop();
  await allGone(pids);
  t.match(resultOf(await held), { error: { code: 'internal' } });
});
