import fc from 'fast-check';
import t from 'tap';
import { rounds } from './_support/rounds.js';
import { ID_BODY_LENGTH, idLowerBound, idPattern, idPrefixes, idTimeMs, isId, newId } from './ids.js';

/** The last millisecond whose ids all begin with a digit below Y, in the year 10716. */
const LAST_MS = 276_025_945_086_534;
const instant = fc.integer({ min: 0, max: LAST_MS });
const prefixes = Object.values(idPrefixes);

/** The 128 bits an id of a probe task stands for. */
function valueOf(id: string): bigint {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let value = 0n;
  for (const character of id.slice('pt_'.length)) value = value * 58n + BigInt(alphabet.indexOf(character));
  return value;
}

t.test('an id is its prefix and 22 base58 characters', async (t) => {
  for (const prefix of prefixes) {
    const id = newId(prefix);
    t.ok(isId(prefix, id), id);
    t.match(id, new RegExp(idPattern(prefix)));
    t.equal(id.length, prefix.length + ID_BODY_LENGTH);
  }
  t.equal(new Set(prefixes).size, prefixes.length, 'no prefix is used twice');
});

t.test('no prefix is taken for another', async (t) => {
  for (const prefix of prefixes) {
    for (const other of prefixes) t.equal(isId(other, newId(prefix)), other === prefix, `${prefix} as ${other}`);
  }
});

t.test('the time comes back to the millisecond', async () => {
  fc.assert(
    fc.property(instant, (ms) => idTimeMs('pt_', newId('pt_', ms)) === ms),
    { numRuns: rounds(2000) },
  );
});

t.test('ids sort by time, byte by byte', async () => {
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      const order = Buffer.compare(Buffer.from(newId('pt_', a)), Buffer.from(newId('pt_', b)));
      return a === b || Math.sign(order) === Math.sign(a - b);
    }),
    { numRuns: rounds(2000) },
  );
});

t.test('a bound lies below every id of its instant and above every id before', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: LAST_MS }), (ms) => {
      const bound = idLowerBound('pt_', ms);
      return (
        isId('pt_', bound) && idTimeMs('pt_', bound) === ms && newId('pt_', ms) > bound && newId('pt_', ms - 1) < bound
      );
    }),
    { numRuns: rounds(2000) },
  );
});

t.test('both ends of time fit 22 characters', async (t) => {
  t.equal(idLowerBound('pt_', 0), `pt_${'1'.repeat(22)}`);
  for (const ms of [0, 1, Date.now(), LAST_MS]) t.ok(isId('pt_', newId('pt_', ms)), String(ms));
});

t.test('an id is a UUID of version 7', async (t) => {
  for (let i = 0; i < 1000; i += 1) {
    const value = valueOf(newId('pt_'));
    if (value >> 128n !== 0n || ((value >> 76n) & 0xfn) !== 7n || ((value >> 62n) & 3n) !== 2n)
      t.fail(value.toString(16));
  }
});

t.test('ids of one millisecond differ, and keep differing when the random pool is filled again', async (t) => {
  const ids = new Set(Array.from({ length: 5000 }, () => newId('pt_', 0)));
  t.equal(ids.size, 5000);
});

t.test('every random bit is used', async (t) => {
  let ones = 0n;
  let zeros = 0n;
  for (let i = 0; i < 1000; i += 1) {
    const value = valueOf(newId('pt_', 0));
    ones |= value;
    zeros |= ~value;
  }
  const random = (0xfffn << 64n) | 0x3fff_ffff_ffff_ffffn;
  t.equal(ones & random, random);
  t.equal(zeros & random, random);
});

t.test('invalid ids are refused', async (t) => {
  const id = newId('pt_');
  const cases = [
    '',
    'pt_',
    id.slice(1),
    id.slice(0, -1),
    `${id}1`,
    `${id}\n`,
    ` ${id}`,
    id.replace('pt_', 'PT_'),
    `pt_${'0'.repeat(22)}`,
    `pt_${'O'.repeat(22)}`,
    `pt_${'I'.repeat(22)}`,
    `pt_${'l'.repeat(22)}`,
    `pt_${'é'.repeat(22)}`,
    // more than 128 bits
    `pt_${'z'.repeat(22)}`,
    'pt_YcVfxkQb6JRzqk5kF2tNLw',
  ];
  for (const text of cases) {
    t.equal(isId('pt_', text), false, JSON.stringify(text));
    t.equal(idTimeMs('pt_', text), null);
    t.notMatch(text, new RegExp(idPattern('pt_')));
  }
});
