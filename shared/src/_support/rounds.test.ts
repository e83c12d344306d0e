import t, { type Test } from 'tap';
import { rounds } from './rounds.js';

function setRounds(t: Test, wanted: string | undefined): void {
  const { VANTAGE_TEST_ROUNDS } = process.env;
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env['VANTAGE_TEST_ROUNDS'];
    else process.env['VANTAGE_TEST_ROUNDS'] = value;
  };
  t.teardown(() => set(VANTAGE_TEST_ROUNDS));
  set(wanted);
}

t.test('a test of random input has all its rounds where they are asked for', async (t) => {
  setRounds(t, 'all');
  t.equal(rounds(1000), 1000);
  t.equal(rounds(1000, 10), 1000);
});

t.test('elsewhere it has a fifth of them, or those it names', async (t) => {
  setRounds(t, undefined);
  t.equal(rounds(1000), 200);
  t.equal(rounds(4), 1, 'never none');
  t.equal(rounds(1000, 10), 10);
});
