import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { decodeResult, type Lane } from '@vantage/shared/protocol/codec.js';
import { pino } from 'pino';
import t from 'tap';
import { FakeMeasuring } from '../../test/_support/link-fixture.js';
import { SpoolClosedError } from '../spool/errors.js';
import { ClockSync } from './clock-sync.js';
import { Jobs } from './jobs.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

function makeJobs() {
  const clock = new FakeClock();
  const clockSync = new ClockSync(clock);
  const measuring = new FakeMeasuring();
  const rows: { lane: Lane; payload: Uint8Array }[] = [];
  const spool = {
    isClosed: false,
    append(lane: Lane, payload: Uint8Array) {
      if (spool.isClosed) throw new SpoolClosedError();
      rows.push({ lane, payload });
      return { sequence: rows.length, durable: Promise.resolve() };
    },
  };
  const jobs = new Jobs({ measuring, spool, clockSync, clock, log: pino({ enabled: false }) });
  return { jobs, clock, clockSync, measuring, rows, spool };
}

function job(taskId: string) {
  return { taskId, probeType: 'tcp', specJson: '{}', deadlineMs: 1000, caller: 'c1' };
}

t.test('a result goes into the spool with the time of both sides', async (t) => {
  const { jobs, clock, clockSync, rows } = makeJobs();
  clockSync.add({ sentMs: 0, receivedMs: 0, serverReceivedAt: clock.now() + 5000, serverSentAt: clock.now() + 5000 });
  jobs.accept(job('pt_1'));
  await settle();
  t.equal(rows[0]?.lane, 'task');
  const result = decodeResult(rows[0]?.payload ?? new Uint8Array());
  t.match(result, { taskId: 'pt_1', finishedAtMs: clock.now(), clockOffsetMs: 5000, uncertaintyMs: 0 });
});

t.test('before any exchange a result says that its time was never compared', async (t) => {
  const { jobs, rows } = makeJobs();
  jobs.accept(job('pt_1'));
  await settle();
  t.match(decodeResult(rows[0]?.payload ?? new Uint8Array()), { clockOffsetMs: 0, uncertaintyMs: -1 });
});

t.test('a task that runs or has run is not accepted again, for ten thousand tasks at least', async (t) => {
  const { jobs, measuring } = makeJobs();
  t.equal(jobs.accept(job('pt_0')), true);
  t.equal(jobs.accept(job('pt_0')), false, 'runs');
  await settle();
  t.equal(jobs.accept(job('pt_0')), false, 'has run');
  for (let i = 1; i < 10_000; i += 1) jobs.accept(job(`pt_${i}`));
  await settle();
  t.equal(jobs.accept(job('pt_0')), false, 'still remembered');
  for (let i = 10_000; i < 20_000; i += 1) jobs.accept(job(`pt_${i}`));
  await settle();
  t.equal(jobs.accept(job('pt_0')), true, 'forgotten: memory is bounded');
  t.equal(measuring.jobs.length, 20_001);
});

t.test('closing takes no more jobs and waits for those that run, no longer than allowed', async (t) => {
  const { jobs, clock, measuring } = makeJobs();
  measuring.answersAtOnce = false;
  for (const id of ['pt_1', 'pt_2']) jobs.accept(job(id));
  let isClosed = false;
  const closed = jobs.close(2000).then(() => {
    isClosed = true;
  });
  t.equal(jobs.accept(job('pt_3')), false);
  measuring.answer('pt_1');
  await settle();
  t.equal(isClosed, false, 'one still runs');
  measuring.answer('pt_2');
  await closed;
  t.equal(clock.pendingTimers, 0);

  const slow = makeJobs();
  slow.measuring.answersAtOnce = false;
  slow.jobs.accept(job('pt_1'));
  const gaveUp = slow.jobs.close(2000);
  slow.clock.advance(2000);
  await gaveUp;
});

t.test('a result that arrives after the spool was closed has no effect', async (t) => {
  const { jobs, spool } = makeJobs();
  spool.isClosed = true;
  jobs.accept(job('pt_1'));
  await settle();
  t.equal(jobs.running, 0);
});

t.test('the largest loop lag is reported once', async (t) => {
  const { jobs, measuring } = makeJobs();
  measuring.loopLagMs = 7;
  jobs.accept(job('pt_1'));
  await settle();
  measuring.loopLagMs = 3;
  jobs.accept(job('pt_2'));
  await settle();
  t.same([jobs.takeLoopLag(), jobs.takeLoopLag()], [7, 0]);
});
