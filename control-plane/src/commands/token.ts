import { Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import { isScope, type Scope, scopes } from '../http/scopes.js';
import { printJson, printSecret, printTable } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scopes?: Scope[];
  readonly expiresInDays?: number;
  readonly json?: true;
}

// NOTE: same as in modules/tokens/schema.ts, which is not loaded for help
const MAX_DAYS = 365;
const MAX_NAME_LENGTH = 200;

/** `vantage-control token create | list | revoke` */
export function tokenCommand(): Command {
  const create = new Command('create')
    .description('Create a personal access token for the API. The token is shown only once, alone on standard output.')
    .requiredOption('--user <email>', 'e-mail address of the owner')
    .option('--name <name>', 'name of the token', parseName, 'command line')
    .option(
      '--scopes <list>',
      `comma-separated: ${scopes.join(', ')} (default: all except admin; account is always included)`,
      parseScopes,
    )
    .option('--expires-in-days <n>', `validity in days, 1 to ${MAX_DAYS} (default: does not expire)`, parseDays)
    .option('--json', 'print the token as JSON, the secret in "token"')
    .action((options: CreateOptions) =>
      runInOffice(async ({ accounts: { users }, tokens }) => {
        const user = await users.getUserByEmail(options.user);
        const request = {
          name: options.name,
          ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
          ...(options.expiresInDays === undefined ? {} : { expires_days: options.expiresInDays }),
        };
        const made = await tokens.personal.create({ userId: user.id, scopes: null }, request, commandLine);
        if (options.json) printJson(made);
        else printSecret(made.token, `token ${made.id} of ${user.email}; store it, it is not shown again:`);
      }),
    );
  const list = new Command('list')
    .description('List the personal access tokens of all users, newest first.')
    .option('--json', 'print the list as JSON')
    .action((options: { json?: true }) =>
      runInOffice(async ({ tokens }) => {
        const all = await tokens.personal.listAll();
        if (options.json) return printJson(all);
        const rows = all.map((token) => [
          token.id,
          token.status,
          token.token_prefix,
          token.expires_at ?? 'never',
          token.last_used_at ?? 'never',
          token.user ?? '',
          token.name,
        ]);
        printTable(['ID', 'STATUS', 'TOKEN', 'EXPIRES', 'USED', 'USER', 'NAME'], rows);
      }),
    );
  const revoke = new Command('revoke')
    .description('Revoke a personal access token. Running servers refuse it at once.')
    .argument('<id>', 'id of the token, pat_…')
    .option('--json', 'print null instead of a message')
    .action((id: string, options: { json?: true }) =>
      runInOffice(async ({ tokens }) => {
        await tokens.personal.revoke(id, null, commandLine);
        if (options.json) printJson(null);
        else process.stdout.write(`${id} is revoked\n`);
      }),
    );
  return new Command('token')
    .description('Manage personal access tokens.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}

function parseScopes(list: string): Scope[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.filter((name) => !isScope(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new InvalidArgumentError(`unknown scope "${unknown.join('", "')}"; scopes are ${scopes.join(', ')}`);
  }
  return [...new Set(names.filter(isScope))];
}

function parseDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`must be 1 to ${MAX_DAYS}`);
}

function parseName(text: string): string {
  if (text.length >= 1 && text.length <= MAX_NAME_LENGTH) return text;
  throw new InvalidArgumentError(`must have 1 to ${MAX_NAME_LENGTH} characters`);
}
