import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { ProbeFailure } from '../failure.js';
import { ReplyReader, type SmtpReply } from './reply-reader.js';

/** Reads chunks that arrive one after another, and returns all replies and the failure, if any. */
function read(chunks: readonly Buffer[]): { replies: SmtpReply[]; failure: ProbeFailure | null; hasMore: boolean } {
  const reader = new ReplyReader();
  const replies: SmtpReply[] = [];
  try {
    for (const chunk of chunks) {
      for (let reply = reader.push(chunk); reply !== null; reply = reader.push(Buffer.alloc(0))) replies.push(reply);
    }
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    return { replies, failure: error, hasMore: reader.hasMore };
  }
  return { replies, failure: null, hasMore: reader.hasMore };
}

const texts = (replies: readonly SmtpReply[]) =>
  replies.map(({ code, lines }) => [code, ...lines.map((line) => line.toString('latin1'))]);

t.test('a reply ends with the first line that has no hyphen; its text may be empty', async (t) => {
  const { replies, hasMore } = read([Buffer.from('250-a\r\n250-\r\n250-b c\n250\r\n221 bye\r\n354')]);
  t.strictSame(texts(replies), [
    [250, 'a', '', 'b c', ''],
    [221, 'bye'],
  ]);
  t.ok(hasMore, 'and half a line is waiting');
});

t.test('replies are the same however the bytes are cut', async (t) => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', '-', '2', '\r', 'é'), maxLength: 30 });
  const reply = fc.record({
    code: fc.integer({ min: 200, max: 599 }),
    lines: fc.array(line, { minLength: 1, maxLength: 6 }),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.array(reply, { minLength: 1, maxLength: 4 }), cuts, (expected, sizes) => {
      const wire = expected
        .map(({ code, lines }) =>
          lines.map((text, i) => `${code}${i + 1 < lines.length ? '-' : ' '}${text}\r\n`).join(''),
        )
        .join('');
      const bytes = Buffer.from(wire, 'latin1');
      const chunks: Buffer[] = [];
      for (let at = 0, i = 0; at < bytes.length; i += 1) {
        const size = sizes[i % sizes.length] ?? 1;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      t.strictSame(
        texts(read(chunks).replies),
        expected.map(({ code, lines }) => [code, ...lines]),
      );
    }),
    { numRuns: rounds(300) },
  );
});

t.test('random bytes end in replies or smtp_rejected, never in anything else', async (t) => {
  const digits = fc.constantFrom(...'220-250 \r\n\n\0x'.split('')).map((text) => Buffer.from(text));
  const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.array(fc.oneof(digits, noise), { maxLength: 80 }), (chunks) => {
      const { failure, replies } = read(chunks);
      if (failure !== null) t.equal(failure.code, 'smtp_rejected');
      for (const { code } of replies) t.ok(code >= 200 && code <= 599);
    }),
    { numRuns: rounds(500) },
  );
});

t.test('what is kept is bounded: lines, their length, and the whole', async (t) => {
  const tooMuch = (bytes: string) => read([Buffer.from(bytes)]).failure?.message ?? null;
  t.equal(tooMuch(`220 ${'x'.repeat(2042)}\r\n`), null);
  t.match(tooMuch(`220 ${'x'.repeat(2043)}\r\n`), /line of more than 2048 bytes/);
  t.match(tooMuch(`220 ${'x'.repeat(2045)}`), /line of more than 2048 bytes/, 'before its end has come');
  t.equal(tooMuch(`${'220-x\r\n'.repeat(99)}220 x\r\n`), null);
  t.match(tooMuch(`${'220-x\r\n'.repeat(100)}220 x\r\n`), /more than 100 lines/);
  t.match(tooMuch(`220-${'x'.repeat(1000)}\r\n`.repeat(17)), /reply of more than 16384 bytes/);
});
