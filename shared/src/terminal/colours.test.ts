import t from 'tap';
import { coloured, hasColours, plain } from './colours.js';
import { screenOf } from './screen.js';

t.test('FORCE_COLOR decides first, then NO_COLOR and TERM, then the terminal', async (t) => {
  for (const [isTTY, env, expected] of [
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '', NO_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
  ] as const)
    t.equal(hasColours({ isTTY }, env), expected, `${isTTY} ${JSON.stringify(env)}`);
  t.equal(coloured('a', 'bad'), '\u001b[31ma\u001b[39m');
  t.equal(coloured('a', null), 'a');
  t.equal(plain('a', 'bad'), 'a');
});

t.test('the width is that of the terminal, else that of COLUMNS; a pipe has no limit', async (t) => {
  t.equal(screenOf({ isTTY: true, columns: 100 }, { COLUMNS: '60' }).width, 100);
  t.equal(screenOf({}, { COLUMNS: '60' }).width, 60);
  t.equal(screenOf({}, { COLUMNS: 'x' }).width, Number.POSITIVE_INFINITY);
});
