import { plain } from '@vantage/shared/terminal/colours.js';
import fc from 'fast-check';
import t from 'tap';
import { jsonText, tableText } from './print.js';

const screen = { width: Number.POSITIVE_INFINITY, paint: plain };

// C0 without the line feed, DEL, C1, and what turns text around or hides it
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0001}]/u;

const hostile = [
  '\u001b[31mred',
  '\u001b]0;title\u0007',
  '\u009b2J',
  'a\rb',
  'a\nb',
  '\u202egpj.exe',
  '\u2028',
  '\u0000',
  '\u{e0001}',
  '\u007f',
];

t.test('a table has a line per row and columns under their headings', async (t) => {
  const text = tableText(
    ['ID', 'NAME'],
    [
      ['1', 'long name'],
      ['222', 'x'],
    ],
    screen,
  );
  t.equal(text, [' ID  NAME', '  1  long name', '222  x'].join('\n'));
  t.equal(tableText(['ID', 'NAME'], [], screen), 'ID  NAME');
});

t.test('no cell steers the terminal or breaks its row', async (t) => {
  const text = tableText(
    ['A', 'B'],
    hostile.map((cell) => [cell, 'end']),
    screen,
  );
  t.notMatch(text, steering);
  t.equal(text.split('\n').length, hostile.length + 1);
});

t.test('JSON for a terminal steers nothing and is the same value', async (t) => {
  const value = { hostile, nested: { '\u009bkey': ['\u{e0001}', 'ü', '漢', '😀'] } };
  t.notMatch(jsonText(value), steering);
  t.same(JSON.parse(jsonText(value)), value);
  t.match(jsonText(value), 'ü', 'what people read stays as it is');
});

t.test('whatever strings are in it, JSON for a terminal is the same value without a steering character', async () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (strings) => {
      const text = jsonText(strings);
      return !steering.test(text) && JSON.stringify(JSON.parse(text)) === JSON.stringify(strings);
    }),
  );
});
