import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailTransport, Message } from './message.js';

/** Writes messages to files that only their owner can read, for installations without a mail server. */
export class MailDirectory implements MailTransport {
  /** The directory is made when the first message comes. */
  constructor(
    private readonly path: string,
    private readonly written: (file: string) => void,
  ) {}

  /**
   * Writes the message and, next to it, its text: in the message long lines are folded and letters are encoded, so that
   * a link cannot be copied from it. A second attempt replaces the first.
   */
  async deliver(message: Message): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const name = nameOf(message);
    await this.#write(`${name}.txt`, `To: ${message.to}\n\n${message.text}`);
    await this.#write(`${name}.eml`, message.source);
    this.written(join(this.path, `${name}.txt`));
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

/** File name that sorts by time and names the template: `2026-11-21T09-16-00.123Z-verify-email-1b4e28ba6c0f9d31`. */
function nameOf({ queuedAtMs, template, messageId }: Message): string {
  const at = new Date(queuedAtMs).toISOString().replaceAll(':', '-');
  // a hash, because ids of the same time begin with the same characters, and many mails can be queued in one
  // millisecond
  return `${at}-${template}-${createHash('sha256').update(messageId).digest('hex').slice(0, 16)}`;
}
