import t from 'tap';
import { decodeWhois } from './domain/whois-charset.js';
import { decodeWindows1252 } from './windows-1252.js';

t.test('windows-1252 has a character for each byte, 27 of them its own', async (t) => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const own = [...decodeWindows1252(all)].filter((character) => character > '\xff').join('');
  t.equal(own, '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');
  t.equal(decodeWindows1252(Buffer.from('grün', 'latin1')), 'grün');
  t.equal(decodeWindows1252(Buffer.alloc(0)), '');
});

t.test('a WHOIS reply without a known charset is read as windows-1252', async (t) => {
  t.equal(decodeWhois(Buffer.from('6f9375949666fc72', 'hex'), 'de'), 'o“u”–für');
});
