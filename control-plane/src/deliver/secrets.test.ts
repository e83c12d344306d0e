import t from 'tap';
import { maskSecrets } from './secrets.js';

t.test('a secret is masked in every form in which it travels', async (t) => {
  const secret = 'p/ä"s s=w';
  const forms = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    JSON.stringify({ token: secret }),
  ];
  for (const form of forms) {
    const masked = maskSecrets(`before ${form} after`, ['', secret]);
    t.match(masked, /^before .*\*{8}.* after$/, form);
    t.notOk(masked.includes(form) || masked.includes(secret), form);
  }
});

t.test('of secrets that hold one another nothing is left over', async (t) => {
  t.equal(maskSecrets('token-12345 and token', ['token', 'token-12345']), '******** and ********');
});
