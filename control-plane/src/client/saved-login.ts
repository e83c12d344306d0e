import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** URL of an API, and the token that it accepts. */
export interface Login {
  readonly url: string;
  readonly token: string;
}

/** The file of a login cannot be used; the message says what to do. */
export class LoginFileError extends Error {
  override readonly name = 'LoginFileError';
}

/** Path of the file that keeps the login. */
export function loginPath(directory: string): string {
  return join(directory, 'login.json');
}

/** Reads the login; null if none is kept. @throws LoginFileError if other users can read the file, or it is damaged */
export function findLogin(directory: string): Login | null {
  const path = loginPath(directory);
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw new LoginFileError(`other users can read "${path}", which holds a token: run chmod 600 "${path}"`);
    return parseLogin(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Keeps a login in a file that only its owner can read. */
export function saveLogin(directory: string, login: Login): void {
  const path = loginPath(directory);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  // a draft that was left behind keeps its mode
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}

/** Removes the login. @returns false if none was kept */
export function removeLogin(directory: string): boolean {
  const path = loginPath(directory);
  const isKept = statSync(path, { throwIfNoEntry: false }) !== undefined;
  rmSync(path, { force: true });
  return isKept;
}

function parseLogin(text: string, path: string): Login {
  try {
    const { url, token } = JSON.parse(text) as Partial<Login>;
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // reported below
  }
  throw new LoginFileError(`"${path}" is damaged: run \`vantage login\` again`);
}
