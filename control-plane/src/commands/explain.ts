import { BackupError } from '../backup/errors.js';
import { MessageServerError } from '../bus/errors.js';
import { ConfigError } from '../config/config.js';
import { SealBrokenError } from '../crypto/sealing.js';
import { SecretKeyFileError } from '../crypto/secret-key.js';
import { TooFewLocksError } from '../db/backup/lock-budget.js';
import { DataDirectoryInUseError, EmbeddedPostgresError, NoDatabaseError } from '../db/embedded/index.js';
import { NewerDatabaseError } from '../db/migrate.js';
import { isUnavailable } from '../db/unavailable.js';
import { errorTable } from '../http/error-table.js';
import { ApiError } from '../http/errors.js';
import { WrongSecretKeyError } from '../links/index.js';
import { ListenError } from '../runtime/listen-error.js';
import { DenyListError } from '../target-lists.js';

/** 2 for a wrong configuration, else 1. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ConfigError ? 2 : 1;
}

/**
 * Explanation of an error and its remedy, for people; a stack only for unforeseen errors. `sources`: places that settings
 * were read from.
 */
export function explain(error: unknown, sources = ''): string {
  if (error instanceof ConfigError) return explainConfigError(error);
  if (error instanceof ApiError) return explainApiError(error);
  if (error instanceof WrongSecretKeyError || error instanceof SealBrokenError) {
    return `${error.message}: set VANTAGE_SECRET_KEY to the key the other replicas use`;
  }
  if (error instanceof NoDatabaseError) return explainNoDatabase(error, sources);
  if (isSelfExplaining(error)) return error.message;
  if (!(error instanceof Error)) return String(error);
  return explainSystemError(error) ?? error.stack ?? error.message;
}

const selfExplaining = [
  BackupError,
  DataDirectoryInUseError,
  EmbeddedPostgresError,
  NewerDatabaseError,
  ListenError,
  MessageServerError,
  SecretKeyFileError,
  DenyListError,
  TooFewLocksError,
];

function isSelfExplaining(error: unknown): error is Error {
  return selfExplaining.some((kind) => error instanceof kind);
}

function explainConfigError({ complaints, message }: ConfigError): string {
  const count = complaints.length === 1 ? 'an error' : `${complaints.length} errors`;
  return `the configuration has ${count}:\n${message.replace(/^/gm, '  ')}`;
}

function explainNoDatabase({ message, servers }: NoDatabaseError, sources: string): string {
  const running = servers.map(({ pid, dataDir }) => {
    const place = dataDir === null ? 'a database of its own settings' : `the data directory "${dataDir}"`;
    return `running: process ${pid}, a server with ${place}`;
  });
  return [
    message,
    `settings are from ${sources}`,
    ...(running.length === 0 ? ['no server runs on this machine'] : running),
    'set VANTAGE_DATA_DIR or VANTAGE_DATABASE_URL as for the server, or start one with `vantage-control serve`',
  ].join('\n  ');
}

/** Fields of the API that commands have as options with other names. */
const optionNames: Readonly<Record<string, string>> = { country_code: '--country' };

function explainApiError({ code, details }: ApiError): string {
  const fields = Object.entries(details ?? {}).map(
    ([field, errors]) => `${optionNames[field] ?? field} ${errors.map(({ message }) => message).join(', ')}`,
  );
  return fields.length === 0 ? `${errorTable[code].messages.en} (${code})` : fields.join('; ');
}

/** Explanation of an error of files, certificates or PostgreSQL; null for any other. */
function explainSystemError(error: Error & { code?: unknown; path?: unknown }): string | null {
  const code = typeof error.code === 'string' ? error.code : '';
  if (typeof error.path === 'string') return error.message;
  if (code.startsWith('ERR_OSSL')) {
    return `cannot use the TLS certificate or key: ${error.message}; check VANTAGE_TLS_CERT and VANTAGE_TLS_KEY`;
  }
  if (isUnavailable(error)) {
    // the message of knex is meant for authors of queries
    const what = error.name === 'KnexTimeoutError' ? 'no connection was free in time' : error.message || code;
    return `cannot use the database: ${what}; check VANTAGE_DATABASE_URL and that PostgreSQL is running there`;
  }
  return isAccessRefused(code) ? `cannot use the database: ${error.message}; check VANTAGE_DATABASE_URL` : null;
}

/** Wrong user or password, no such database, or one this user may not work in (PostgreSQL documentation, appendix A). */
function isAccessRefused(code: string): boolean {
  return /^28...$|^3D000$|^42501$/.test(code);
}
