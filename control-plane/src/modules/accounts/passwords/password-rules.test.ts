import t from 'tap';
import { PasswordRules, weaknessOf } from './password-rules.js';

const email = 'ada.lovelace@example.com';
const common = new Set(['iloveyou2']);

t.test('weak passwords are refused with the reason, on both sides of each limit', async (t) => {
  const cases: [string, RegExp | null][] = [
    ['1234567', /at least 8/],
    ['qzxwvuty', null],
    // characters, not UTF-16 units: the second has eight
    ['😀😁😂🤣😃😄😅', /at least 8/],
    ['😀😁😂🤣😃😄😅😆', null],
    ['ababababab', /three different/],
    ['abcabcabc', null],
    ['ILoveYou2', /most used/],
    ['Ada.Lovelace', /e-mail/],
    ['ada.lovelace@example.com', /e-mail/],
    ['ada.lovelace!', null],
  ];
  for (const [password, expected] of cases) {
    const weakness = weaknessOf(password, email, common);
    if (expected === null) t.equal(weakness, null, password);
    else t.match(weakness, expected, password);
  }
});

t.test('the bundled list has the most common passwords', async (t) => {
  const rules = new PasswordRules();
  for (const password of ['password', 'Password1', 'qwertyuiop', '123456789', 'iloveyou', 'football', 'sunshine']) {
    await t.rejects(rules.refuseWeak(password, email), {
      code: 'AUTH_PASSWORD_WEAK',
      status: 400,
      details: { password: [{ code: 'refused' }] },
    });
  }
  await rules.refuseWeak('correct horse battery staple', email);
});
