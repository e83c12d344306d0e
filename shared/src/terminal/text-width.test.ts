import t from 'tap';
import { complaintText } from './complaint-text.js';
import { cutText, padEnd, textWidth } from './text-width.js';
import { wrapLine, wrapText } from './wrap-text.js';

t.test('East Asian and emoji characters take two columns, combining marks and colours none', async (t) => {
  for (const [text, width] of [
    ['abc', 3],
    ['東京', 4],
    ['ｱｲ', 2],
    ['한국', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['\u001b[31mred\u001b[39m', 3],
  ] as const)
    t.equal(textWidth(text), width, JSON.stringify(text));
  t.equal(`${padEnd('東京', 6)}|`, '東京  |');
});

t.test('a text is cut at the width, never inside a character of two columns', async (t) => {
  t.equal(cutText('abcdef', 6), 'abcdef');
  t.equal(cutText('abcdef', 5), 'abcd…');
  t.equal(cutText('東京都庁', 8), '東京都庁');
  t.equal(cutText('東京都庁', 7), '東京都…');
  t.equal(cutText('東京都庁', 6), '東京…');
  t.equal(cutText('東京', 0), '');
});

t.test('a text is wrapped between words and between ideographs, and a long word stays whole', async (t) => {
  t.strictSame(wrapText('waited for 74 ms, then 5 more', 13), ['waited for', '74 ms, then 5', 'more']);
  t.strictSame(wrapText('one two three four', 9), ['one two', 'three', 'four']);
  t.strictSame(wrapText('北京市节点没有响应，请稍后再试', 10), ['北京市节点', '没有响应，', '请稍后再试']);
  t.strictSame(wrapText('see https://example.com/a/long/path now', 12), [
    'see',
    'https://example.com/a/long/path',
    'now',
  ]);
  const bytes = Array.from({ length: 20 }, () => 'AB').join(':');
  t.strictSame(
    wrapText(bytes, 30).map((line) => line.length),
    [30, 29],
  );
});

t.test('a line with columns goes on below the column that was cut', async (t) => {
  t.strictSame(wrapLine('  issuer   CN=Example CA, O=Example Organisation', 30), [
    '  issuer   CN=Example CA,',
    '           O=Example',
    '           Organisation',
  ]);
});

t.test('a complaint fits a terminal, and is whole in a log', async (t) => {
  const message = 'cannot reach the control plane now\n  retry later';
  t.equal(complaintText('vantage', message, {}, {}), `vantage: ${message}\n`);
  t.equal(
    complaintText('vantage', message, { isTTY: true, columns: 24 }, {}),
    'vantage: cannot reach\n  the control plane now\n  retry later\n',
  );
});
