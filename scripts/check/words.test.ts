import t from 'tap';
import { findWords } from './words.js';

t.test('a file that names a place outside of the project is found, with the line', async (t) => {
  const outside = ['', 'work', 'notes.md'].join('/');
  t.match(findWords('README.md', `fine\nsee ${outside}\n`), [/^README\.md:2: names/]);
  t.strictSame(findWords('README.md', 'network/probes\nshared/src\n'), []);
});
