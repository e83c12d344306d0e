import t from 'tap';
import { type DraftMonitor, EntryError, readEntry } from '../entry/entry.js';
import { packed, unpacked } from './packed-file.js';

const draft = (config: unknown): DraftMonitor => ({
  body: { type: 'https', config },
  intervalSeconds: 60,
  group: null,
  isPaused: false,
  leftOut: [],
});
const opened = (entries: ReturnType<typeof readEntry>[]) => {
  const file = packed({ format: 'vantage', entries, notes: [] });
  return { file, entries: file.packs.flatMap(unpacked) };
};

t.test('entries come out of packs as they went in, whatever is in them', async (t) => {
  const entries = [
    readEntry(0, 'A', (note) => {
      note('x', 'was not imported');
      return draft({ a: [1, null, Number.NaN, undefined], ['__proto__x']: 'é' });
    }),
    readEntry(1, null, () => {
      throw new EntryError('type', 'not_supported', 'is not supported');
    }),
    ...Array.from({ length: 500 }, (_, index) => readEntry(index + 2, `M${index}`, () => draft('x'.repeat(1_000)))),
  ];
  const { file, entries: out } = opened(entries);
  t.equal(file.total, 502);
  t.ok(file.packs.length > 5);
  t.strictSame(out[0], entries[0]);
  t.same(
    out.map(({ name }) => name),
    entries.map(({ name }) => name),
  );
  const refused = out[1]?.draft;
  t.ok(refused instanceof EntryError);
  t.match(refused, { field: 'type', code: 'not_supported', message: 'is not supported' });
});

t.test('an entry with more than any monitor has fails alone, and says little of much', async (t) => {
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
  const shared = members(900);
  const cases: readonly [config: unknown, message: RegExp | null][] = [
    [members(900), null],
    [members(300_000), /more than 2000 values/],
    [Array(100_000).fill(1), /more than 2000 values/],
    [[shared, shared], /more than 2000 values/],
    [['x'.repeat(60_000), 'x'.repeat(60_000)], null],
    [['x'.repeat(60_000), 'x'.repeat(60_000), 'x'.repeat(60_000)], /more than 131072 characters/],
  ];
  for (const [config, message] of cases) {
    const entry = readEntry(0, 'A', () => draft(config));
    if (message === null) t.notOk(entry.draft instanceof EntryError);
    else t.match(entry.draft, { field: 'config', code: 'length', message });
  }
  const long = 'y'.repeat(60_000);
  const noted = readEntry(0, long, (note) => {
    for (let count = 0; count < 250; count += 1) note(long, long);
    return draft({});
  });
  t.match(noted.notes.at(-1), { message: '150 more warnings about this entry were omitted' });
  t.ok(JSON.stringify(noted).length < 100_000);
});
