import t from 'tap';
import { RowCounter } from './row-sum.js';

function sumOf(...pieces: readonly string[]) {
  const counter = new RowCounter();
  for (const piece of pieces) counter.add(Buffer.from(piece));
  return counter.result;
}

t.test('the checksum depends on the rows, not on their order or on the pieces they arrive in', async (t) => {
  const whole = sumOf('1\ta\n2\tb\n3\t\\N\n');
  t.equal(whole.rows, 3);
  t.match(whole.sum, /^[0-9a-f]{32}$/);
  t.same(sumOf('1', '\ta\n2\tb', '\n3\t\\N\n'), whole);
  t.same(sumOf('3\t\\N\n1\ta\n', '2\tb\n'), whole);
  const others = {
    'a value changed': '1\ta\n2\tc\n3\t\\N\n',
    'a row twice in place of another': '1\ta\n1\ta\n3\t\\N\n',
    'a value moved to another row': '1\tb\n2\ta\n3\t\\N\n',
  };
  for (const [name, other] of Object.entries(others)) t.not(sumOf(other).sum, whole.sum, name);
  t.same(sumOf(), { rows: 0, sum: '0'.repeat(32) });
});
