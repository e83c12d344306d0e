import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { tableText } from './print.js';

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
