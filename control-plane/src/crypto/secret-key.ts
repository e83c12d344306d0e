import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FILE_NAME = 'secret.key';
const KEY_BYTES = 32;

/** The file with the sealing key holds none. */
export class SecretKeyFileError extends Error {
  override readonly name = 'SecretKeyFileError';
}

/**
 * The sealing key of this installation: as configured, else generated once in the data directory, owner-only. 32 bytes.
 * @throws SecretKeyFileError
 */
export async function loadSecretKey(configured: Buffer | null, dataDir: string): Promise<Buffer> {
  if (configured !== null) return configured;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, FILE_NAME);
  return (await readKey(path)) ?? (await makeKey(path));
}

/** The key in the data directory; null if it has none. @throws SecretKeyFileError */
export function findSecretKey(dataDir: string): Promise<Buffer | null> {
  return readKey(join(dataDir, FILE_NAME));
}

/** Stores a key in a data directory that has none; one that is there stays. */
export async function storeSecretKey(key: Buffer, dataDir: string): Promise<void> {
  await makeKey(join(dataDir, FILE_NAME), key);
}

async function readKey(path: string): Promise<Buffer | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new SecretKeyFileError(
    `"${path}" does not hold a key; restore it from a backup, or set VANTAGE_SECRET_KEY: without it agents must enroll again`,
  );
}

/** Complete before it has its name: neither a crash nor a second process ever sees half a key. The first one stays. */
async function makeKey(path: string, bytes: Buffer = randomBytes(KEY_BYTES)): Promise<Buffer> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${bytes.toString('base64')}\n`);
    await file.sync();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  const key = await readKey(path);
  if (key === null) throw new SecretKeyFileError(`"${path}" vanished`);
  return key;
}
