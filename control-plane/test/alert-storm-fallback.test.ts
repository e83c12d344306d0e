import t, { type Test } from 'tap';
import { openAlertWorld } from './_support/alert-world.js';
import { startReceiver } from './_support/receiver.js';

const MINUTE_MS = 60_000;

const world = await openAlertWorld(t);

/** 150 monitors that go down at once, with two channels: `Hook` and `Other`. */
async function aStorm(t: Test) {
  await world.clear();
  const [hook, other] = [await startReceiver(t), await startReceiver(t)];
  const channels = [
    await world.addChannel('Hook', 'webhook', { url: `${hook.url}/` }),
    await world.addChannel('Other', 'webhook', { url: `${other.url}/` }),
  ];
  const alert_policy_id = await world.addPolicy(channels);
  const monitors = await world.addMonitors(
    Array.from({ length: 150 }, (_, index) => ({ name: `Shop ${index}`, alert_policy_id })),
  );
  const subjects = () => world.mails.map(({ content }) => content.subject);
  return { hook, other, monitors, subjects };
}

t.test('a storm that no channel accepts causes few mails to the account, and so does its end', async (t) => {
  const { hook, other, monitors, subjects } = await aStorm(t);
  for (const receiver of [hook, other]) receiver.reply = () => ({ status: 500 });
  await world.happens('down', monitors);
  await world.passAll(4 * MINUTE_MS);
  t.equal(subjects().length, 7, 'five alone, and a digest of each channel');
  t.equal(subjects().filter((subject) => /145/.test(subject)).length, 2);
  await world.happens('up', monitors);
  await world.passAll(8 * MINUTE_MS);
  t.equal(subjects().length, 14, 'each of them has its end');
  t.equal(subjects().filter((subject) => /145/.test(subject)).length, 4, 'which is of all that were notified');
});

t.test('a storm that one of the channels accepts causes no mail to the account', async (t) => {
  const { hook, monitors, subjects } = await aStorm(t);
  hook.reply = () => ({ status: 500 });
  await world.happens('down', monitors);
  await world.passAll(4 * MINUTE_MS);
  await world.happens('up', monitors);
  await world.passAll(8 * MINUTE_MS);
  t.same(subjects(), []);
});
