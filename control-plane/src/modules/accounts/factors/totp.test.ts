import t from 'tap';
import { recoveryCodeOf } from './recovery-codes.js';
import { stepOfCode, totpEnrollment } from './totp.js';

// RFC 6238 appendix B, SHA-1: the last six of the eight digits
const secret = Buffer.from('12345678901234567890');
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
] as const;

t.test('codes are those of RFC 6238, and belong to the step in which they are shown', async (t) => {
  for (const [seconds, code] of vectors)
    t.equal(stepOfCode(code, secret, { now: seconds * 1_000, lastStep: 0 }), Math.floor(seconds / 30), code);
  t.equal(totpEnrollment(secret, { issuer: 'V', label: 'ada' }).secret, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
});

t.test('a code is valid one step early and late, and only after the last step that was used', async (t) => {
  const step = Math.floor(1_234_567_890 / 30);
  const at = (steps: number) => ({ now: 1_234_567_890_000 + steps * 30_000, lastStep: 0 });
  t.strictSame(
    [-2, -1, 0, 1, 2].map((steps) => stepOfCode('005924', secret, at(steps))),
    [null, step, step, step, null],
  );
  t.equal(stepOfCode('005924', secret, { ...at(1), lastStep: step }), null, 'used');
  t.equal(stepOfCode('005924', secret, { ...at(1), lastStep: step - 1 }), step);
});

t.test(
  'a recovery code is read in any case, with or without its hyphen, and with letters that look like digits',
  async (t) => {
    for (const typed of ['7K3M9-X2P4Q', ' 7k3m9x2p4q ']) t.equal(recoveryCodeOf(typed), '7k3m9x2p4q');
    t.equal(recoveryCodeOf('ol1i0-x2p4q'), '01110x2p4q');
    for (const typed of ['', '492039', '7k3m9-x2p4', '7k3m9--x2p4q']) t.equal(recoveryCodeOf(typed), null, typed);
  },
);
