import t from 'tap';
import { EndpointSeals } from './endpoint-seals.js';

const seals = new EndpointSeals(Buffer.alloc(32, 7));
const END_MS = 1_000;
const [newest, previous] = [Buffer.from('newest'), Buffer.from('previous')];

t.test('during an overlap the newest secret signs first; the previous one signs until its end', async (t) => {
  const row = {
    sealed_secret: seals.seal(newest),
    sealed_previous_secret: seals.seal(previous),
    previous_secret_expires_at: new Date(END_MS),
  };
  t.same(seals.openSecrets(row, END_MS - 1), [newest, previous]);
  t.same(seals.openSecrets(row, END_MS), [newest]);
  t.same(seals.openSecrets({ ...row, sealed_previous_secret: null, previous_secret_expires_at: null }, 0), [newest]);
});
