import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { aCheck, aJob, startMeasuring } from './_support/measuring-fixture.js';

// The measuring child reads whatever strangers' servers send. An attacker who takes it over has its rights, and no word with the
// main process beyond wrong results of the jobs that it was given.

const result = { kind: 'result', id: '$id', resultJson: '{}', loopLagMs: 0 };
const ENDED = 'the measuring process ended';

/** A job of the hostile child, which answers it with this. */
function lying(lie: unknown) {
  const target = typeof lie === 'string' ? lie : JSON.stringify(lie);
  return { ...aJob(''), specJson: JSON.stringify({ target }) };
}

t.test('a child that sends an invalid message is ended: its jobs fail, and another child takes the next', async (t) => {
  for (const [name, lie] of Object.entries({
    garbage: [null],
    'the result of another job': [{ ...result, id: 'pt_of_another' }],
    'a result too large to travel': 'huge',
  })) {
    const measuring = startMeasuring(t, { first: 'hostile' });
    const hostile = measuring.pid;
    const jobs = [measuring.measure(lying([])), measuring.measure(lying(lie))];
    for (const { resultJson } of await Promise.all(jobs)) t.match(resultJson, ENDED, name);
    await until('another child', () => measuring.pid !== null && measuring.pid !== hostile);
    t.equal(measuring.running, 0);
    t.match((await measuring.measure(aJob('ok.example'))).resultJson, '"success":true', name);
    await measuring.stop();
  }
});

t.test('a check whose child returns the result of a probe still gets a result', async (t) => {
  const measuring = startMeasuring(t, { first: 'hostile' });
  const { judgment } = await measuring.check({ ...aCheck(''), target: JSON.stringify([result]) });
  t.match(judgment, { outcome: 'failed', error: { code: 'internal', message: ENDED } });
});

t.test('a flood of messages ends, though each of them is one that a child may send', async (t) => {
  const measuring = startMeasuring(t, { first: 'hostile' });
  const jobs = [1, 2, 3].map(() => measuring.measure(lying('flood')));
  for (const { resultJson } of await Promise.all(jobs)) t.match(resultJson, ENDED);
});

t.test('the environment of a measuring child contains none of the settings', async (t) => {
  process.env['VANTAGE_AGENT_PROXY'] = 'http://user:password@127.0.0.1:9';
  t.teardown(() => delete process.env['VANTAGE_AGENT_PROXY']);
  const measuring = startMeasuring(t, { first: 'hostile' });
  const { resultJson } = await measuring.measure(lying('env'));
  const names = Object.keys(JSON.parse(resultJson));
  t.ok(names.includes('PATH'));
  t.strictSame(
    names.filter((name) => name.startsWith('VANTAGE_')),
    [],
  );
});
