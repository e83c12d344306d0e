import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer } from '../../../test/_support/tcp-server.js';
import { http } from './index.js';
import { keepHeaders } from './kept-headers.js';

const isResult = compileSchema(probeTypes.http.Result);
const line = (name: string, length: number) => ({ name, value: 'v'.repeat(length) });

async function probe(t: Test, headers: string, keepsLines = false) {
  const server = await startTcpServer(t, (socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\nContent-Length: 0\r\n\r\n`)),
  );
  const spec = aSpec('http', `http://127.0.0.1:${server.port}/`);
  return http.run(keepsLines ? { ...spec, keeps_header_lines: true } : spec, aContext());
}

t.test('a result keeps the headers that browsers read, and says if it left some out', async (t) => {
  const policy = await probe(t, `Content-Security-Policy: ${'a.example '.repeat(4000)}`);
  t.equal(policy.headers['content-security-policy']?.length, 39_999);
  t.notOk('headers_truncated' in policy);
  const links = Array.from({ length: 150 }, (_, i) => `Link: </${i}.css>`).join('\r\n');
  t.match((await probe(t, links)).headers, { link: /<\/0\.css>.*<\/149\.css>/ });
  t.equal((await probe(t, links, true)).header_lines?.length, 151);
  const control = await probe(t, 'A: x\x01y\x1b\tz\x7f');
  t.match(control, { success: true, headers: { a: 'xy\tz' } }, 'none controls a terminal');
  const huge = await probe(t, `A: 1\r\nB: ${'y'.repeat(200_000)}\r\nC: 3`);
  t.match(huge, { success: true, headers: { a: '1', b: undefined, c: '3' }, headers_truncated: true });
  t.ok(isResult(huge).ok);
});

t.test('a result with too many headers keeps the first line of each name, and short lines', async (t) => {
  const names = Array.from({ length: 20 }, (_, i) => line(`x-${i}`, 10));
  const many = [...Array.from({ length: 600 }, () => line('link', 5)), ...names];
  const kept = keepHeaders(many);
  t.equal(kept.areTruncated, true);
  t.equal(kept.lines.length, 512);
  t.strictSame(kept.lines.slice(-20), names, 'names behind many repeats');
  const long = [line('a', 30_000), line('b', 60_000), line('c', 20_000), line('d', 10)];
  t.strictSame(
    keepHeaders(long).lines.map(({ name }) => name),
    ['a', 'c', 'd'],
  );
  t.strictSame(keepHeaders([line('a', 1)]), { lines: [line('a', 1)], areTruncated: false });
});
