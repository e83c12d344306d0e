import { readFile } from 'node:fs/promises';
import { readEnv } from '../config/config.js';
import { promptSecret } from '../terminal/prompt-secret.js';
import { BackupError } from './errors.js';

const VARIABLE = 'VANTAGE_BACKUP_PASSPHRASE';
const MIN_LENGTH = 8;

/**
 * Passphrase from the file, from the environment, or typed at a terminal, never from the command line, which other users
 * can read. A new one is asked for twice. @throws BackupError
 */
export async function readPassphrase({ file, isNew }: { file?: string; isNew: boolean }): Promise<string> {
  const passphrase = await findPassphrase(file, isNew);
  if (passphrase.length >= MIN_LENGTH) return passphrase;
  throw new BackupError(`the passphrase must have at least ${MIN_LENGTH} characters`);
}

async function findPassphrase(file: string | undefined, isNew: boolean): Promise<string> {
  const { [VARIABLE]: given, [`${VARIABLE}_FILE`]: named } = readEnv();
  const path = file ?? (given === undefined || given === '' ? named : undefined);
  if (path !== undefined && path !== '') return firstLine(await readFile(path, 'utf8'));
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY)
    throw new BackupError(`no passphrase; add --passphrase-file, set ${VARIABLE}, or run this in a terminal`);
  const typed = await promptSecret('passphrase of the backup: ');
  if (isNew && (await promptSecret('the same again: ')) !== typed) throw new BackupError('the passphrases differ');
  return typed;
}

function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
