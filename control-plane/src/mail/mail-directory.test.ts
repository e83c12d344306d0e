import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { temporaryDirectory } from '../../test/_support/temporary-directory.js';
import { MailDirectory } from './mail-directory.js';
import type { Message } from './message.js';

function messageOf(messageId: string): Message {
  return {
    from: 'vantage@vantage.test',
    to: 'ada@vantage.test',
    source: Buffer.from(`Message-ID: ${messageId}\r\n`),
    text: messageId,
    template: 'maintenance-notice',
    queuedAtMs: Date.UTC(2026, 0, 1),
    messageId,
  };
}

t.test('mails of one template that are queued in the same millisecond are files of their own', async (t) => {
  const path = join(temporaryDirectory(t), 'mails');
  const directory = new MailDirectory(path, () => {});
  const messages = Array.from({ length: 50 }, () => messageOf(`<${newId(idPrefixes.event)}@vantage.test>`));
  for (const message of messages) await directory.deliver(message);
  const files = readdirSync(path).filter((file) => file.endsWith('.eml'));
  const sources = files.map((file) => readFileSync(join(path, file), 'utf8'));
  t.same(sources.toSorted(), messages.map(({ source }) => source.toString()).toSorted());
});

t.test(
  'a second attempt at a mail replaces the first, only the owner can read it, and each reports the file to read',
  async (t) => {
    const path = join(temporaryDirectory(t), 'mails');
    const written: string[] = [];
    const directory = new MailDirectory(path, (file) => written.push(file));
    const message = messageOf('<1b4e28ba@vantage.test>');
    for (let attempt = 0; attempt < 2; attempt += 1) await directory.deliver(message);
    const files = readdirSync(path);
    t.equal(files.length, 2, 'the message and its text');
    const text = join(path, files.find((file) => file.endsWith('.txt')) ?? '');
    t.strictSame(written, [text, text]);
    for (const file of files) t.equal(statSync(join(path, file)).mode & 0o777, 0o600);
  },
);
