import { Command, InvalidArgumentError } from 'commander';
import { isScope, type Scope, scopes } from '../http/scopes.js';
import { printJson, printSecret } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scopes?: Scope[];
  readonly json?: true;
}

/** `vantage-control token create` */
export function tokenCommand(): Command {
  const create = new Command('create')
    .description('Make a personal access token for the API. It is shown this once, alone on standard output.')
    .requiredOption('--user <email>', 'whose it is')
    .option('--name <name>', 'what it is for', 'command line')
    .option('--scopes <list>', `comma-separated: ${scopes.join(', ')} (default: all the role may do)`, parseScopes)
    .option('--json', 'print the token as JSON, the secret in "token"')
    .action((options: CreateOptions) =>
      runInOffice(async ({ accounts }) => {
        const user = await accounts.getUserByEmail(options.user);
        const token = await accounts.createToken(user.id, { name: options.name, scopes: options.scopes ?? null });
        if (options.json) printJson(token);
        else printSecret(token.token, `token ${token.id} of ${user.email}; keep it, it is not shown again:`);
      }),
    );
  return new Command('token').description('Personal access tokens.').addCommand(create);
}

function parseScopes(list: string): Scope[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.filter((name) => !isScope(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new InvalidArgumentError(`unknown scope "${unknown.join('", "')}"; there are ${scopes.join(', ')}`);
  }
  return [...new Set(names.filter(isScope))];
}
