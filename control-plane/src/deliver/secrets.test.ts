import fc from 'fast-check';
import t from 'tap';
import { maskSecrets, SecretMask } from './secrets.js';

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

t.test('secrets that contain each other are masked completely', async (t) => {
  t.equal(maskSecrets('token-12345 and token', ['token', 'token-12345']), '******** and ********');
});

t.test('masks are not masked again, so that secrets of asterisks let nothing grow', async (t) => {
  const asterisks = Array.from({ length: 7 }, (_, index) => '*'.repeat(index + 1));
  t.equal(maskSecrets(`${'*'.repeat(1_000)} a`, [...asterisks, 'a']), '******** ********');
  t.equal(maskSecrets('a*', ['a', '*']), '********');
});

t.test('a secret is found wherever it begins, also within its own beginning', async (t) => {
  t.equal(maskSecrets('ababac', ['abac']), 'ab********');
  t.equal(maskSecrets('aaab', ['aab']), 'a********');
  t.equal(maskSecrets('xabcabcabdx', ['abcabd']), 'xabc********x');
});

/** Positions of a text that a secret covers, found in the plainest way, as one mask for each run of them. */
function maskedPlainly(text: string, secrets: readonly string[]): string {
  const letters = [...text];
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      letters.fill('#', at, at + secret.length);
  return letters.join('').replace(/#+/g, '********');
}

t.test('exactly the characters that belong to a secret are masked', async () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.array(texts, { maxLength: 4 }), (text, secrets) => {
      return maskSecrets(text, secrets) === maskedPlainly(text, secrets);
    }),
  );
});

t.test('a long secret is found in a long text as a short one is', async () => {
  const letters = fc.array(fc.constantFrom('a', 'ab', 'aab'), { minLength: 1_000, maxLength: 1_500 });
  fc.assert(
    fc.property(letters, fc.nat(400), fc.integer({ min: 250, max: 400 }), (parts, from, length) => {
      const text = parts.join('');
      const secret = text.slice(from, from + length);
      return maskSecrets(text, [secret]) === maskedPlainly(text, [secret]);
    }),
    { numRuns: 30 },
  );
});

t.test('the longest form of a secret is known: percent-encoded beyond ASCII', async (t) => {
  t.equal(SecretMask.of(['密']).longest, '%E5%AF%86'.length);
  t.equal(SecretMask.of([]).longest, 0);
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
