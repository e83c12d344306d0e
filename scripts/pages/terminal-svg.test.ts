import { coloured } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { terminalSvg } from './terminal-svg.js';

t.test('a picture of a terminal has each text at its column and in its colour', async (t) => {
  const lines = ['京ICP  <b> & c', `  ${coloured('DOWN', 'bad')}  ${coloured(' told ', 'strong')}`];
  const svg = terminalSvg(lines, 80);
  const texts = [...svg.matchAll(/<text (.*)>(.*)<\/text>/g)].map(([, attributes, text]) => [attributes, text]);
  t.strictSame(texts, [
    ['x="14" y="27" textLength="42"', '京ICP'],
    ['x="72.8" y="27" textLength="58.8"', '&lt;b&gt; &amp; c'],
    ['x="30.8" y="45" textLength="33.6" fill="#ff7b72"', 'DOWN'],
    ['x="89.6" y="45" textLength="33.6" font-weight="bold"', 'told'],
  ]);
  t.match(svg, 'viewBox="0 0 700 64"', 'as wide as its columns');
  t.throws(
    () => terminalSvg(['\u001b[7minverse'], 80),
    /attribute 7/,
    'nothing is shown otherwise than a terminal does',
  );
});
