import t from 'tap';
import { compilePattern, MAX_PATTERN_SIZE, PatternError } from './pattern.js';

const times = (part: string) => part.repeat(Math.floor(256 / part.length));

t.test('a repetition bomb is refused before it is expanded', async (t) => {
  const bombs = [
    '(a{1000}){1000}',
    '((((a{10}){10}){10}){10}){10}',
    '(((((a{0,9}){0,9}){0,9}){0,9}){0,9})',
    times('.{1000}'),
    times('[^b]{0,1000}'),
    times('((a?){0,30}){0,30}'),
    times('(?i:\\pL{1000})'),
    'a{99999999999999999999}',
    `${'('.repeat(127)}a${')'.repeat(127)}`,
  ];
  for (const bomb of bombs) t.throws(() => compilePattern(bomb), PatternError, bomb.slice(0, 30));
  t.throws(() => compilePattern('a'.repeat(257)), /more than 256 characters/);
});

t.test('a pattern costs instructions, and none has more than are allowed', async (t) => {
  t.ok(compilePattern('[0-9a-f]{64}').size >= 64);
  for (const part of ['\\pL', '(?i)k', '[\\pL\\pN]', 'x*', '(.*)', 'a|', '(\\w+\\s*)*']) {
    try {
      t.ok(compilePattern(times(part)).size <= MAX_PATTERN_SIZE, part);
    } catch (error) {
      t.ok(error instanceof PatternError, part);
    }
  }
});

t.test('a pattern with endless backtracking is matched in one pass', async (t) => {
  const text = `${'a'.repeat(65_535)}b`;
  // an engine that goes back needs more steps than there are atoms: the time limit of the test is the bound
  for (const pattern of [
    '(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(.*a){20}$',
    '(x+x+)+y',
    '([a-z]+)*=',
    '(.*)(.*)(.*)(.*)(.*)c',
  ])
    t.equal(compilePattern(pattern).isIn(text), false, pattern);
  t.equal(compilePattern('(a+)+b$').isIn(text), true);
});

t.test('a pattern reads any text, also what is no proper Unicode', async (t) => {
  t.equal(compilePattern('^.$').isIn('😀'), true);
  t.equal(compilePattern('a.b').isIn('a\ud800b'), true);
  t.equal(compilePattern('(?i)straße').isIn('STRAßE'), true);
  t.equal(compilePattern('^$').isIn(''), true);
});
