import type { Clock } from '@vantage/shared/clock.js';
import t from 'tap';
import { AcknowledgeLinks } from './acknowledge-links.js';

const DAY_MS = 86_400_000;
let nowMs = Date.UTC(2026, 10, 21);
const clock = { now: () => nowMs } as Clock;
const publicUrl = 'https://vantage.example';
const links = new AcknowledgeLinks({ secretKey: Buffer.alloc(32, 7), publicUrl, clock });
const tokenOf = (url: string) => url.slice(`${publicUrl}/a/`.length);

t.test('a link contains its alert and channel, and its recipient only masked', async (t) => {
  const url = links.url('ae_1', { id: 'ch_1', recipient: 'ada@shop.example' });
  t.same(links.open(tokenOf(url)), { subjectId: 'ae_1', channelId: 'ch_1', recipient: 'a***@s***e' });
  t.notMatch(Buffer.from(tokenOf(url).split('.')[3] ?? '', 'base64url').toString(), /shop/);
  t.match(links.open(tokenOf(links.url('ae_1', { id: 'ch_1', recipient: null }))), { recipient: null });
});

t.test('a link that was changed in any character, or signed with another key, gives no access', async (t) => {
  const token = tokenOf(links.url('ae_1', { id: 'ch_1', recipient: null }));
  for (let index = 0; index < token.length; index += 1) {
    const changed = `${token.slice(0, index)}${token[index] === 'x' ? 'y' : 'x'}${token.slice(index + 1)}`;
    t.equal(links.open(changed), null, `character ${index}`);
  }
  for (const text of ['', '.', 'x', token.slice(0, -1), `${token}x`, token.replace('ae_1', 'ae_2')])
    t.equal(links.open(text), null);
  const others = new AcknowledgeLinks({ secretKey: Buffer.alloc(32, 8), publicUrl, clock });
  t.equal(others.open(token), null);
});

t.test('a link is valid for seven days', async (t) => {
  const token = tokenOf(links.url('ae_1', { id: 'ch_1', recipient: null }));
  nowMs += 7 * DAY_MS - 1_000;
  t.ok(links.open(token));
  nowMs += 2_000;
  t.equal(links.open(token), null);
});
