import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryDirectory } from '../../test/_support/temporary-directory.js';
import { loadSecretKey } from './secret-key.js';

t.test('a configured key is used and nothing is written', async (t) => {
  const directory = temporaryDirectory(t);
  const key = Buffer.alloc(32, 1);
  t.same(await loadSecretKey(key, join(directory, 'data')), key);
  t.same(readdirSync(directory), []);
});

t.test('without one a key is made once, for the owner of the data directory alone', async (t) => {
  const directory = join(temporaryDirectory(t), 'data', 'deep');
  const key = await loadSecretKey(null, directory);
  t.equal(key.length, 32);
  t.notSame(key, Buffer.alloc(32));
  t.same(readdirSync(directory), ['secret.key'], 'nothing else is left');
  t.equal(statSync(join(directory, 'secret.key')).mode & 0o777, 0o600);
  t.equal(statSync(directory).mode & 0o777, 0o700);
  t.same(await loadSecretKey(null, directory), key);
  t.notSame(await loadSecretKey(null, join(temporaryDirectory(t), 'other')), key);
});

t.test('processes that start together use the same key', async (t) => {
  const directory = temporaryDirectory(t);
  const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretKey(null, directory)));
  t.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1);
  t.same(readdirSync(directory), ['secret.key']);
});

t.test('a file that holds no key is left alone and named, with what to do', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'secret.key');
  for (const content of ['', 'nonsense\n', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')]) {
    writeFileSync(path, content);
    await t.rejects(loadSecretKey(null, directory), {
      name: 'SecretKeyFileError',
      message: new RegExp(`"${path}" does not hold a key.*backup`),
    });
    t.equal(readFileSync(path, 'utf8'), content);
  }
});
