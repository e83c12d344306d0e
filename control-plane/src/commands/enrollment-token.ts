import { Command, InvalidArgumentError } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import type { Releases } from '../modules/releases/index.js';
import { personalOwner } from '../owners/index.js';
import { printJson, printSecret, printTable } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

interface CreateOptions {
  readonly user?: string;
  readonly label?: string;
  readonly country?: string;
  readonly expiresInHours?: number;
  readonly json?: true;
}

const MAX_LABEL_LENGTH = 40;

/** `vantage-control enrollment-token create | list | revoke` */
export function enrollmentTokenCommand(): Command {
  const create = new Command('create')
    .description(
      'Create a one-time enrollment token for one agent. The token is shown only once, alone on standard output.',
    )
    .option('--user <email>', 'e-mail address of the future owner of the node (default: the first admin)')
    .option('--label <text>', `label of the token, at most ${MAX_LABEL_LENGTH} characters`, parseLabel)
    .option('--country <code>', 'country of the node, ISO 3166-1 alpha-2')
    .option('--expires-in-hours <n>', 'validity in hours, 1 to 168', parseHours, 24)
    .option('--json', 'print the token as JSON, the secret in "token"')
    .action((options: CreateOptions) =>
      runInOffice(async ({ accounts: { users }, nodes, releases }) => {
        const owner =
          options.user === undefined ? await users.getFirstAdmin() : await users.getUserByEmail(options.user);
        const request = {
          ...(options.label === undefined ? {} : { label: options.label }),
          ...(options.country === undefined ? {} : { country_code: options.country }),
          expires_in_hours: options.expiresInHours ?? 24,
        };
        const created = await nodes.enrollmentTokens.create(
          { owner: personalOwner(owner.id), user: owner },
          request,
          commandLine,
        );
        if (options.json) printJson(created);
        else
          printSecret(
            created.token,
            tokenNote(`enrollment token ${created.id} of ${owner.email}, valid until ${created.expires_at}`, releases),
          );
      }),
    );
  const list = new Command('list')
    .description('List the enrollment tokens of all users, newest first.')
    .option('--json', 'print the list as JSON')
    .action((options: { json?: true }) =>
      runInOffice(async ({ nodes }) => {
        const { tokens } = await nodes.enrollmentTokens.list(null, { limit: Number.MAX_SAFE_INTEGER, offset: 0 });
        if (options.json) return printJson(tokens);
        const rows = tokens.map((token) => [
          token.id,
          token.status,
          token.preview,
          token.expires_at,
          token.label ?? '',
          token.consumed_node_id ?? '',
        ]);
        printTable(['ID', 'STATUS', 'TOKEN', 'EXPIRES', 'LABEL', 'NODE'], rows);
      }),
    );
  const revoke = new Command('revoke')
    .description('Revoke an unused enrollment token.')
    .argument('<id>', 'id of the token, et_…')
    .option('--json', 'print null instead of a message')
    .action((id: string, options: { json?: true }) =>
      runInOffice(async ({ nodes }) => {
        await nodes.enrollmentTokens.revoke(id, null, commandLine);
        if (options.json) printJson(null);
        else process.stdout.write(`${id} is revoked\n`);
      }),
    );
  return new Command('enrollment-token')
    .description('Manage one-time enrollment tokens.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!Number.isInteger(hours) || hours < 1 || hours > 168) throw new InvalidArgumentError('must be 1 to 168');
  return hours;
}

const PLAIN_NOTE =
  'No command that installs an agent is shown, since the public URL is plain http: others on the network could replace the installer, which root runs, and use the token. Set VANTAGE_PUBLIC_URL to an https URL.';

/** Note above a token: its end and, on a line of its own, the command that asks for it on the node. */
function tokenNote(token: string, { command, isPlain }: Releases): string {
  if (command !== null) return `${token}; on the node, this command asks for it:\n  ${command}`;
  return isPlain ? `${token}\n${PLAIN_NOTE}` : `${token}:`;
}

function parseLabel(text: string): string {
  if (text.length === 0 || text.length > MAX_LABEL_LENGTH) {
    throw new InvalidArgumentError(`must have 1 to ${MAX_LABEL_LENGTH} characters`);
  }
  return text;
}
