import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import { syncFolder, writeFileDurably } from './durable-file.js';
import { StateFileError } from './errors.js';
import { keyPath, readKey } from './key.js';

// Up to three files:
//   key.pem           what the node proves itself with
//   key.next.pem      what is to follow it, made when the control plane asks for another key
//   key.previous.pem  what it followed: opens nothing any more, unless a control plane restored from a backup, or failed
//                     over to a database that lost the last second, has forgotten the change
//
//   asked: key.next.pem is made ──accepted──> key.pem is copied to key.previous.pem, key.next.pem renamed to key.pem
//                              └──refused───> key.next.pem is removed
//
// The control plane switches before the agent does. A process that dies in between leaves both keys, and the next
// challenge, which is signed over the valid key, shows which one it is. Once a link is open with one key, a change to
// another can no longer be committed: only the reply of the live link counts.

/** A key of the node. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  /** Raw, 32 bytes. */
  readonly publicKey: Buffer;
}

/** The keys a node can prove itself with. */
export interface Keyring {
  readonly current: KeyPair;
  /** Every key that may be the one that counts, the likeliest first. */
  readonly candidates: readonly KeyPair[];
  /** The key to follow, on the disk before this resolves; the one there is when it was made before. */
  makeNext(): Promise<KeyPair>;
  /** The control plane says which of them counts: that is the current one, on the disk, when this resolves. */
  settle(publicKey: Uint8Array): Promise<void>;
}

/** The keys in a state directory. */
export class NodeKeys implements Keyring {
  readonly #stateDir: string;
  #current: KeyPair;
  #next: KeyPair | null;
  #previous: KeyPair | null;

  private constructor(
    stateDir: string,
    keys: { readonly current: KeyPair; readonly next: KeyPair | null; readonly previous: KeyPair | null },
  ) {
    this.#stateDir = stateDir;
    this.#current = keys.current;
    this.#next = keys.next;
    this.#previous = keys.previous;
  }

  /**
   * Opens the keys; null when none was created. Files that a killed process left half written are removed. @throws
   * StateFileError
   */
  static async open(stateDir: string): Promise<NodeKeys | null> {
    const current = await findPair(keyPath(stateDir));
    if (current === null) return null;
    await removeHalfWritten(stateDir);
    const next = await findPair(pathOf(stateDir, 'next'));
    return new NodeKeys(stateDir, { current, next, previous: await findPair(pathOf(stateDir, 'previous')) });
  }

  get current(): KeyPair {
    return this.#current;
  }

  get candidates(): readonly KeyPair[] {
    return [this.#current, this.#next, this.#previous].filter((pair) => pair !== null);
  }

  async makeNext(): Promise<KeyPair> {
    if (this.#next !== null) return this.#next;
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFileDurably(pathOf(this.#stateDir, 'next'), pemOf(privateKey));
    this.#next = pairOf(privateKey);
    return this.#next;
  }

  async settle(publicKey: Uint8Array): Promise<void> {
    const isMeant = (pair: KeyPair | null) => pair?.publicKey.equals(publicKey) ?? false;
    if (isMeant(this.#next)) return this.#takeNext();
    if (isMeant(this.#previous)) await this.#takePrevious();
    if (!isMeant(this.#current))
      throw new StateFileError('the control plane has a key of this node that is not on this disk');
    if (this.#next === null) return;
    await rm(pathOf(this.#stateDir, 'next'), { force: true });
    await syncFolder(this.#stateDir);
    this.#next = null;
  }

  async #takeNext(): Promise<void> {
    const { privateKey } = this.#current;
    await writeFileDurably(pathOf(this.#stateDir, 'previous'), pemOf(privateKey));
    await rename(pathOf(this.#stateDir, 'next'), keyPath(this.#stateDir));
    await syncFolder(this.#stateDir);
    this.#previous = this.#current;
    this.#current = this.#next ?? this.#current;
    this.#next = null;
  }

  async #takePrevious(): Promise<void> {
    await rename(pathOf(this.#stateDir, 'previous'), keyPath(this.#stateDir));
    await syncFolder(this.#stateDir);
    this.#current = this.#previous ?? this.#current;
    this.#previous = null;
  }
}

async function findPair(path: string): Promise<KeyPair | null> {
  const key = await readKey(path);
  return key === null ? null : pairOf(key);
}

function pairOf(privateKey: KeyObject): KeyPair {
  return { privateKey, publicKey: rawPublicKey(privateKey) };
}

function pemOf(privateKey: KeyObject): string | Buffer {
  return privateKey.export({ format: 'pem', type: 'pkcs8' });
}

function pathOf(stateDir: string, which: 'next' | 'previous'): string {
  return join(stateDir, `key.${which}.pem`);
}

/** A key that never got its name was never sent to anyone. */
async function removeHalfWritten(stateDir: string): Promise<void> {
  const names = (await readdir(stateDir)).filter((name) =>
    /^\.key(?:\.next|\.previous)?\.pem\.[0-9a-f]{12}$/.test(name),
  );
  await Promise.all(names.map((name) => rm(join(stateDir, name), { force: true })));
}
