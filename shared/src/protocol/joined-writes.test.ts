import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { joinWrites } from './joined-writes.js';

t.test('frames that are sent in one turn of the event loop leave in one write, in order', async (t) => {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      writes.push(chunk);
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => chunk).join(''));
      done();
    },
  });
  const socket = joinWrites({ send: (frame: string) => void stream.write(frame) }, stream);
  socket.send('a');
  await Promise.resolve();
  socket.send('b');
  t.same(writes, []);
  await setImmediate();
  t.same(writes, ['ab']);
  socket.send('c');
  await setImmediate();
  t.same(writes, ['ab', 'c'], 'a frame that is alone leaves in its turn');
});
