import fc from 'fast-check';
import t from 'tap';
import { doctorText } from './check-lines.js';
import { plain } from './colours.js';
import { jsonLine, jsonText, plainText } from './plain-text.js';
import { wrappedRows } from './wrapped-rows.js';

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

t.test('text for a terminal keeps its lines, and nothing else in it steers', async (t) => {
  t.equal(plainText('one\n  two'), 'one\n  two');
  const lines = hostile.map((text) => text.replaceAll('\n', ''));
  t.notMatch(plainText(lines.join('\n')), steering);
  t.equal(plainText(lines.join('\n')).split('\n').length, lines.length);
});

t.test('no check of a doctor, and no row, steers the terminal or adds a line to what is shown', async (t) => {
  const screen = { width: Number.POSITIVE_INFINITY, paint: plain };
  for (const text of hostile) {
    const checks = [{ name: `n${text}`, status: 'failed', detail: `d${text}`, remedy: `r${text}` }] as const;
    const said = doctorText(checks, screen, {});
    t.notMatch(said, steering);
    t.equal(said.split('\n').length, 3, 'the check, its remedy, and the end');
    for (const width of [10, 80]) t.notMatch(wrappedRows([[`a${text}`, `b${text}`]], { width }).join('\n'), steering);
  }
});

t.test('JSON for a terminal steers nothing and is the same value', async (t) => {
  const value = { hostile, nested: { '\u009bkey': ['\u{e0001}', 'ü', '漢', '😀'] } };
  t.notMatch(jsonText(value), steering);
  t.same(JSON.parse(jsonText(value)), value);
  t.equal(jsonLine(value).split('\n').length, 1);
  t.same(JSON.parse(jsonLine(value)), value);
  t.notMatch(jsonLine(value), steering);
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
