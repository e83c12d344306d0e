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

t.test('of an Authorization header, the credentials alone are masked too', async (t) => {
  const basic = `Basic ${Buffer.from('ada:hunter-two').toString('base64')}`;
  const cases = [
    ['Bearer s3cret-token', 'no such token s3cret-token', 'no such token ********'],
    ['Bearer s3cret-token', 'Bearer s3cret-token', '********'],
    ['Bearer s3cret+token', 'at s3cret%2Btoken', 'at ********'],
    [basic, 'user ada:hunter-two', 'user ********'],
    [basic, 'password hunter-two of ada', 'password ******** of ada'],
    ['Bearer abc', 'abc is a word', 'abc is a word'],
  ] as const;
  for (const [secret, text, expected] of cases) t.equal(maskSecrets(text, [secret]), expected, text);
});
