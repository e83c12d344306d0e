import t, { type Test } from 'tap';
import { rounds } from './rounds.js';

function setCi(t: Test, ci: string | undefined): void {
  const { CI } = process.env;
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env['CI'];
    else process.env['CI'] = value;
  };
  t.teardown(() => set(CI));
  set(ci);
}

t.test('a test of random input has all its rounds with CI=true', async (t) => {
  setCi(t, 'true');
  t.equal(rounds(1000), 1000);
  t.equal(rounds(1000, 10), 1000);
});

t.test('elsewhere it has a fifth of them, or those it names', async (t) => {
  setCi(t, undefined);
  t.equal(rounds(1000), 200);
  t.equal(rounds(4), 1, 'never none');
  t.equal(rounds(1000, 10), 10);
});
