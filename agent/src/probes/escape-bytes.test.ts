import t from 'tap';
import { escapeBytes } from './escape-bytes.js';

t.test('bytes of a server are escaped one by one', async (t) => {
  t.equal(escapeBytes(Buffer.from([0, 9, 10, 13, 31, 32, 92, 126, 127, 255])), '\\x00\\t\\n\\r\\x1f \\\\~\\x7f\\xff');
});
