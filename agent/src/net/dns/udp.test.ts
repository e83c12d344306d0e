import t from 'tap';
import { otherId } from './udp.js';

t.test('a question that is sent again has an id that none of its sendings had', async (t) => {
  const asked = new Map(Array.from({ length: 0x10000 }, (_, id) => [id, 0]));
  asked.delete(4711);
  t.equal(otherId(asked), 4711);
});
