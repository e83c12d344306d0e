import t from 'tap';
import { lineAt, maskCode } from './masked-code.js';

const cases = [
  ['a line comment', 'a(); // process.env\nb();', 'a();               \nb();'],
  ['a block comment keeps its lines', '/* x\n y */ a', '    \n      a'],
  ['single and double quotes', `f('it\\'s', "a//b")`, `f('     ', "    ")`],
  ['a template without values', 'f(`a // b`)', 'f(`      `)'],
  ['the values of a template stay code', 'f(`a ${g({ x: 1 })} b`)', 'f(`  ${g({ x: 1 })}  `)'],
  ['a template in a template', 'f(`a${`b${c}`}d`)', 'f(` ${` ${c}`} `)'],
  ['a quote in a regular expression', `x = /'/.test(y); 'z'`, `x = / /.test(y); ' '`],
  ['a slash in a class of a regular expression', `if (/[/']/u.test(y)) z`, `if (/     u.test(y)) z`],
  ['a division', `a / b; 'c' / d`, `a / b; ' ' / d`],
] as const;

t.test('comments and the contents of literals are blanked, all else stays where it was', async (t) => {
  for (const [name, text, masked] of cases) {
    t.equal(maskCode(text).length, text.length, `${name}: length`);
    t.equal(maskCode(text), masked, name);
  }
});

t.test('an offset is converted to a line number from 1', async (t) => {
  t.equal(lineAt('a\nb\nc', 0), 1);
  t.equal(lineAt('a\nb\nc', 4), 3);
});
