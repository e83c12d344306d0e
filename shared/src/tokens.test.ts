import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { rounds } from './_support/rounds.js';
import { isSameHash, makeToken, maskToken, parseToken, tokenPrefixes } from './tokens.js';

const aPrefix = fc.constantFrom(...Object.values(tokenPrefixes));
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

t.test('a token says its id, and its secret only as a hash', async (t) => {
  for (const prefix of Object.values(tokenPrefixes)) {
    const { token, tokenId, secretHash } = makeToken(prefix);
    t.equal(token.length, prefix.length + 12 + 43 + 6);
    t.ok(token.startsWith(prefix + tokenId));
    t.equal(secretHash.length, 32);
    t.same(parseToken(prefix, token), { tokenId, secretHash });
    const secret = token.slice(prefix.length + 12, -6);
    t.equal(
      secretHash.toString('hex'),
      createHash('sha256').update(secret).digest('hex'),
      'SHA-256 of the secret part',
    );
    t.equal(Buffer.from(secret, 'base64url').length, 32, '256 bits of secret');
  }
});

t.test('no two tokens are the same in any part', async (t) => {
  const tokens = Array.from({ length: 200 }, () => makeToken('ent_'));
  t.equal(new Set(tokens.map(({ tokenId }) => tokenId)).size, 200);
  t.equal(new Set(tokens.map(({ secretHash }) => secretHash.toString('hex'))).size, 200);
});

t.test('one wrong character is noticed, wherever it is', async (t) => {
  const { token } = makeToken('ent_');
  for (let i = 0; i < token.length; i += 1) {
    for (const character of ALPHABET) {
      const typo = token.slice(0, i) + character + token.slice(i + 1);
      if (typo !== token && parseToken('ent_', typo) !== null) t.fail(`${character} at ${i}`);
    }
  }
});

t.test('two characters exchanged, one lost and one too many are noticed', async () => {
  fc.assert(
    fc.property(aPrefix, fc.nat(63), fc.constantFrom(...ALPHABET), (prefix, i, character) => {
      const { token } = makeToken(prefix);
      const swapped = token.slice(0, i) + token.charAt(i + 1) + token.charAt(i) + token.slice(i + 2);
      const shorter = token.slice(0, i) + token.slice(i + 1);
      const longer = token.slice(0, i) + character + token.slice(i);
      return [swapped, shorter, longer].every((text) => text === token || parseToken(prefix, text) === null);
    }),
    { numRuns: rounds(300) },
  );
});

t.test('a token of one kind is not accepted as any other kind', async (t) => {
  const prefixes = Object.values(tokenPrefixes);
  for (const made of prefixes) {
    const { token } = makeToken(made);
    for (const asked of prefixes) t.equal(parseToken(asked, token) !== null, asked === made, `${made} as ${asked}`);
  }
});

t.test('what is shown of a token is its prefix and four characters of its id', async (t) => {
  const { token, tokenId } = makeToken('sk_live_');
  t.equal(maskToken('sk_live_', tokenId), `${token.slice(0, 'sk_live_'.length + 4)}...`);
});

t.test('the pattern and the program for scanners in docs/tokens.md find tokens and nothing else', async (t) => {
  const document = readFileSync(new URL('../../../docs/tokens.md', import.meta.url), 'utf8');
  const block = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(document)?.[1] ?? '';
  const pattern = new RegExp(block('regex').trim(), 'g');
  const tokens = Object.values(tokenPrefixes).flatMap((prefix) =>
    Array.from({ length: 20 }, () => makeToken(prefix).token),
  );
  const text = tokens.map((token) => `KEY="${token}" # ${maskToken('sk_live_', token.slice(8))}`).join('\n');
  t.strictSame(text.match(pattern), tokens);
  const typos = tokens.map((token) => token.replace(/.{9}$/, (end) => (end[0] === 'A' ? 'B' : 'A') + end.slice(1)));
  const input = [...tokens, ...typos, `sk_test_${'x'.repeat(61)}`].join('\n');
  const answers = execFileSync('python3', ['-c', block('python')], { input, encoding: 'utf8' })
    .trim()
    .split('\n');
  t.strictSame(answers, [...tokens.map(() => 'True'), ...typos.map(() => 'False'), 'False']);
});

t.test('a right checksum makes no token of a wrong prefix or of wrong letters', async (t) => {
  const signed = (text: string) => {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(text));
    return text + sum.toString('base64url');
  };
  t.not(parseToken('ent_', signed(`ent_${'A'.repeat(55)}`)), null, 'this is how a checksum is made');
  t.equal(parseToken('ent_', signed(`xyz_${'A'.repeat(55)}`)), null);
  t.equal(parseToken('ent_', signed(`ent_${'A'.repeat(54)}\0`)), null);
  t.equal(parseToken('ent_', signed(`ent_${'A'.repeat(54)}é`)), null);
  t.equal(parseToken('ent_', signed(`ent_${'A'.repeat(54)}+`)), null);
});

t.test('nothing else is a token', async (t) => {
  const { token } = makeToken('ent_');
  for (const text of [
    '',
    'ent_',
    token.trimEnd().concat('\n'),
    ` ${token}`,
    token.replace('ent_', 'ENT_'),
    `ent_${'é'.repeat(61)}`,
    `ent_${'A'.repeat(61)}`,
    `ent_${'\0'.repeat(61)}`,
  ]) {
    t.equal(parseToken('ent_', text), null, JSON.stringify(text));
  }
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 61, maxLength: 61 }),
      (body) => parseToken('ent_', `ent_${body}`) === null,
    ),
  );
});

t.test('hashes are the same only when every byte is', async (t) => {
  const { secretHash } = makeToken('ent_');
  const other = Buffer.from(secretHash);
  t.equal(isSameHash(secretHash, other), true);
  other.writeUInt8((other.readUInt8(31) + 1) % 256, 31);
  t.equal(isSameHash(secretHash, other), false);
  t.equal(isSameHash(secretHash, secretHash.subarray(0, 31)), false);
  t.equal(isSameHash(Buffer.alloc(0), secretHash), false);
});
