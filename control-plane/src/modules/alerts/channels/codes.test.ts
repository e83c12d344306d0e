import t from 'tap';
import { hashCode, judgeCode, MAX_TRIES, newCode } from './codes.js';

const key = Buffer.alloc(32, 1);
const given = { channelId: 'ch_1', address: 'ada@a.example', code: '12345678' };
const hash = hashCode(given, key);

t.test('a code has its digits, leading zeros included', async (t) => {
  for (let tries = 0; tries < 200; tries += 1) t.match(newCode(8), /^\d{8}$/);
});

t.test('a code is valid for one recipient of one channel, until its time or its tries are used up', async (t) => {
  const stored = { hash, expiresAtMs: 1_000, tries: 0 };
  t.equal(judgeCode(stored, hash, 999), 'accepted');
  t.equal(judgeCode(stored, hash, 1_000), 'ended');
  t.equal(judgeCode({ ...stored, tries: MAX_TRIES }, hash, 0), 'ended');
  t.equal(judgeCode({ ...stored, tries: MAX_TRIES - 1 }, hash, 0), 'accepted');
  t.equal(judgeCode(null, hash, 0), 'ended');
  t.equal(judgeCode({ ...stored, hash: null }, hash, 0), 'ended');
  for (const other of [{ channelId: 'ch_2' }, { address: 'bob@a.example' }, { code: '12345679' }])
    t.equal(judgeCode(stored, hashCode({ ...given, ...other }, key), 0), 'wrong');
  t.equal(judgeCode(stored, hashCode(given, Buffer.alloc(32, 2)), 0), 'wrong');
});
