import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailTransport, Message } from './message.js';

/** Writes messages to files that only their owner can read, for installations without a mail server. */
export class MailDirectory implements MailTransport {
  /** The directory is made when the first message comes. */
  constructor(private readonly path: string) {}

  /**
   * The message, and beside it its text: in the message long lines are folded and letters are encoded, so that a link cannot be
   * copied from it. A second attempt takes the place of the first.
   */
  async deliver(message: Message): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const name = nameOf(message);
    await this.#write(`${name}.txt`, `To: ${message.to}\n\n${message.text}`);
    await this.#write(`${name}.eml`, message.source);
  }

  /** Complete before it has its name. */
  async #write(name: string, content: string | Buffer): Promise<void> {
    const draft = join(this.path, `.${randomBytes(8).toString('hex')}.draft`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(this.path, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

/** Sorts by time and tells the template: `2026-11-21T09-16-00.123Z-verify-email-1b4e28ba`. */
function nameOf({ queuedAtMs, template, messageId }: Message): string {
  const at = new Date(queuedAtMs).toISOString().replaceAll(':', '-');
  return `${at}-${template}-${messageId.replace(/[^a-z0-9]/gi, '').slice(0, 8)}`;
}
