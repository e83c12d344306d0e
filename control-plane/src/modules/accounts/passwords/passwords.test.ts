import t from 'tap';
import { PasswordHasher } from './passwords.js';

t.test('a pretended comparison takes the same work and never succeeds', async (t) => {
  const hasher = new PasswordHasher();
  const compared: string[] = [];
  const isSame = hasher.isSame.bind(hasher);
  hasher.isSame = (passwordHash, password) => {
    compared.push(passwordHash);
    return isSame(passwordHash, password);
  };
  t.equal(await hasher.pretend('correct horse'), false);
  const [parameters] = compared.map((passwordHash) => passwordHash.slice(0, passwordHash.lastIndexOf('=')));
  const real = await hasher.hash('correct horse');
  t.match(real, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, 'the full cost');
  t.equal(real.slice(0, real.lastIndexOf('p=') + 1), parameters, 'of the same cost');
  t.equal(compared.length, 1);
});

t.test('two hashes run at once, 64 wait, and one more is refused with the time to return', async (t) => {
  const hasher = new PasswordHasher({ memoryCost: 8, timeCost: 1, parallelism: 1 });
  const all = await Promise.allSettled(Array.from({ length: 67 }, () => hasher.hash('correct horse')));
  const refused = all.filter((result) => result.status === 'rejected');
  t.match(refused, [{ reason: { code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 2 } }]);
  t.equal(await hasher.pretend('correct horse'), false, 'and all goes on');
});
