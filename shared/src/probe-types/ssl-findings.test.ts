import t from 'tap';
import { gradeIgnoringTrust, gradeOf, sslFindingCodes, sslFindings, sslGrades, worstGrade } from './ssl-findings.js';

t.test('a grade is the worst cap among the findings, A+ without any', async (t) => {
  t.equal(gradeOf([]), 'A+');
  for (const code of sslFindingCodes) t.equal(gradeOf([code]), sslFindings[code].cap ?? 'A+', code);
  t.equal(gradeOf(['expires_soon', 'root_sent']), 'A+');
  t.equal(gradeOf(['no_tls13', 'old_protocol', 'no_sct']), 'B');
  t.equal(gradeOf(['rc4_cipher', 'name_mismatch']), 'M');
  t.equal(gradeOf(['name_mismatch', 'untrusted', 'null_cipher']), 'T');
});

t.test('without trust and name the rest is graded', async (t) => {
  t.equal(gradeIgnoringTrust(['self_signed', 'name_mismatch']), 'A+');
  t.equal(gradeIgnoringTrust(['expired', 'weak_key']), 'D');
});

t.test('the worst of several grades', async (t) => {
  t.equal(worstGrade([]), null);
  t.equal(worstGrade(['A', 'A+']), 'A');
  for (const [index, grade] of sslGrades.entries()) t.equal(worstGrade(sslGrades.slice(0, index + 1)), grade);
});

t.test('findings stand in the order of what they cost', async (t) => {
  const ranks = sslFindingCodes
    .map((code) => sslFindings[code].cap)
    .map((cap) => (cap === null ? -1 : sslGrades.indexOf(cap)));
  t.same(
    ranks,
    [...ranks].sort((a, b) => b - a),
  );
});
