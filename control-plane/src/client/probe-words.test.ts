import t from 'tap';
import { paramsOfWords, refuseWords, splitPlaces, targetOf } from './probe-words.js';

t.test('words after the target are a port, a record type, a server, and places after from', async (t) => {
  const places = splitPlaces(['MX', '@9.9.9.9', 'from', 'Germany,', 'Japan'], undefined);
  t.strictSame(places, { before: ['MX', '@9.9.9.9'], from: 'Germany, Japan' });
  t.strictSame(splitPlaces([], 'DE'), { before: [], from: 'DE' });
  t.strictSame(paramsOfWords('dns', ['mx', '@9.9.9.9']), { record_type: 'MX', server: '9.9.9.9' });
  t.strictSame(paramsOfWords('tcp', ['22']), { port: 22 });
});

t.test('a word without a meaning is refused with the right spelling', async (t) => {
  t.throws(() => paramsOfWords('dns', ['MXX']), /no record type "MXX", did you mean "MX"\? known: A, /);
  t.throws(() => paramsOfWords('http', ['Berlin']), /"Berlin" is not understood; for places, write: from Berlin/);
  t.throws(() => refuseWords(['Berlin']), /write: from Berlin/);
  t.throws(() => paramsOfWords('tcp', ['ssh']), /"ssh" is not understood: a port is a number; for places, /);
  t.throws(() => targetOf('from'), /the target is missing before "from"/);
  t.throws(() => splitPlaces(['from'], undefined), /"from" needs a place/);
  t.throws(() => splitPlaces(['from', 'DE'], 'FR'), /given twice/);
});
