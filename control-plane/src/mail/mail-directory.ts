import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailTransport, Message } from './message.js';

/** Writes messages to .eml files that only their owner can read, for installations without a mail server. */
export class MailDirectory implements MailTransport {
  /** The directory is made when the first message comes. */
  constructor(private readonly path: string) {}

  /** Complete before it has its name; a second attempt takes the place of the first. */
  async deliver(message: Message): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const draft = join(this.path, `.${randomBytes(8).toString('hex')}.draft`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(message.source);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(this.path, fileNameOf(message)));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

/** Sorts by time and tells the template: `2026-11-21T09-16-00.123Z-verify-email-1b4e28ba.eml`. */
function fileNameOf({ queuedAtMs, template, messageId }: Message): string {
  const at = new Date(queuedAtMs).toISOString().replaceAll(':', '-');
  return `${at}-${template}-${messageId.replace(/[^a-z0-9]/gi, '').slice(0, 8)}.eml`;
}
