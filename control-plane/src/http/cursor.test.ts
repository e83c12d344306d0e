import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { Type } from 'typebox';
import { cursorList, cursorQuery } from './cursor.js';
import { ApiError } from './errors.js';

const numbers = cursorList('numbers', Type.Integer());
const words = cursorList('words', Type.Object({ word: Type.String() }, { additionalProperties: false }));

/** The page of 0, 1, 2, … below `total` that a cursor asks for, as a store would read it. */
function pageOfNumbers(total: number, limit: number, cursor: string | undefined) {
  const after = numbers.parse(cursor) ?? -1;
  const rows = Array.from({ length: total }, (_, index) => index).filter((number) => number > after);
  return numbers.page(rows.slice(0, limit + 1), limit, (number) => number);
}

t.test('a list read by cursor comes whole, in order, in pages of the size asked for', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), (total, limit) => {
      const seen: number[] = [];
      let cursor: string | null | undefined;
      let pages = 0;
      do {
        const { items, pagination } = pageOfNumbers(total, limit, cursor ?? undefined);
        seen.push(...items);
        cursor = pagination.next_cursor;
        pages++;
        if (items.length > limit || pagination.page_size !== limit) return false;
        if (pagination.has_more !== (cursor !== null)) return false;
      } while (cursor !== null);
      return seen.join() === [...Array(total).keys()].join() && pages === Math.max(1, Math.ceil(total / limit));
    }),
    { numRuns: 50 },
  );
});

/** Any code points but halves of pairs; fast-check's own such text takes a second to prepare. */
const text = fc
  .array(fc.integer({ min: 0, max: 0x10_ffff }), { maxLength: 40 })
  .map((points) => String.fromCodePoint(...points).replaceAll(/\p{Surrogate}/gu, ''));

t.test('any position comes back as it was', async () => {
  fc.assert(
    fc.property(text, (word) => {
      const { pagination } = words.page([{ word }, { word: '' }], 1, (row) => row);
      const cursor = pagination.next_cursor ?? '';
      // needs no encoding in a URL
      return /^[\w-]+$/.test(cursor) && words.parse(cursor)?.word === word;
    }),
    { numRuns: rounds(100) },
  );
});

t.test('a damaged cursor, one of another list and anything else is a 400 at cursor', async (t) => {
  const good = numbers.page([1, 2], 1, (number) => number).pagination.next_cursor ?? '';
  const foreign = words.page([{ word: 'a' }, { word: 'b' }], 1, (row) => row).pagination.next_cursor ?? '';
  const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const bad = [
    '',
    ' ',
    'x',
    'undefined',
    foreign,
    good.slice(0, -2),
    `${good}=`,
    `${good}AA`,
    good.toUpperCase(),
    `${good.slice(0, 4)}+${good.slice(5)}`,
    coded(null),
    coded([]),
    coded({ v: 2, list: 'numbers', after: 1 }),
    coded({ v: 1, list: 'numbers' }),
    coded({ v: 1, list: 'numbers', after: '1' }),
    coded({ v: 1, list: 'numbers', after: 1, more: true }),
    coded({ v: 1, list: 'numbers', after: { toString: 1 } }),
  ];
  const refusal = { code: 'VALIDATION_FAILED', status: 400, details: { cursor: [{ code: 'format' }] } };
  for (const cursor of bad) t.throws(() => numbers.parse(cursor), refusal, cursor);
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (cursor) => {
      try {
        numbers.parse(cursor);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }),
    { numRuns: rounds(300) },
  );
});

t.test('a cursor fits into its parameter', async (t) => {
  const longest = words.page([{ word: 'w'.repeat(300) }, { word: '' }], 1, (row) => row).pagination.next_cursor ?? '';
  const { maxLength } = cursorQuery.cursor as { maxLength?: number };
  t.ok(longest.length <= (maxLength ?? 0), `${longest.length}`);
});
