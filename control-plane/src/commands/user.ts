import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import { fieldError } from '../http/errors.js';
import type { User } from '../modules/accounts/index.js';
import { planNames } from '../plans/index.js';
import { printJson, printTable, printText } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

interface CreateOptions {
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly passwordStdin?: true;
  readonly json?: true;
}

interface OneUserOptions {
  readonly email: string;
  readonly json?: true;
}

/** `vantage-control user create | list | disable | enable | set-plan | reset-factors | restore | delete` */
export function userCommand(): Command {
  return new Command('user')
    .description('Manage users.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(
      stateCommand(
        'disable',
        'Disable a user: sessions end, keys and tokens are not accepted until the user is enabled. Monitors, alerts and webhooks go on.',
      ),
    )
    .addCommand(
      stateCommand('enable', 'Enable a disabled user: keys and tokens are accepted again, the user signs in anew.'),
    )
    .addCommand(planCommand())
    .addCommand(resetFactorsCommand())
    .addCommand(restoreCommand())
    .addCommand(deleteCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a user with the plan unlimited.')
    .requiredOption('--email <address>', 'e-mail address')
    .addOption(new Option('--role <role>', 'role of the user').choices(['user', 'admin']).default('user'))
    .option(
      '--password-stdin',
      'read a password of at least 8 characters from standard input; a user without a password can only use tokens',
    )
    .option('--json', 'print the user as JSON')
    .action((options: CreateOptions) =>
      runInOffice(async ({ accounts: { users } }) => {
        const password = options.passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : null;
        const user = await users.createUser({ email: options.email, role: options.role, password });
        if (options.json) printJson(user);
        else printText(`${user.role} ${user.email} is ${user.id}`);
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List all users, newest first.')
    .option('--json', 'print the list as JSON')
    .action((options: { json?: true }) =>
      runInOffice(async ({ accounts }) => {
        const users = await accounts.users.listUsers();
        if (options.json) return printJson(users);
        const rows = users.map(({ id, email, role, plan, status, created_at }) => [
          id,
          email,
          role,
          plan,
          status,
          created_at,
        ]);
        printTable(['ID', 'E-MAIL', 'ROLE', 'PLAN', 'STATUS', 'CREATED'], rows);
      }),
    );
}

function stateCommand(name: 'disable' | 'enable', description: string): Command {
  return oneUser(name, description).action((options: OneUserOptions) =>
    runInOffice(async ({ accounts: { users } }) => {
      const { id } = await users.getUserByEmail(options.email);
      const user = await users.setDisabled(id, name === 'disable', commandLine);
      printUser(user, options, `is ${user.status}`);
    }),
  );
}

function planCommand(): Command {
  return oneUser('set-plan', 'Change the plan of a user.')
    .addOption(
      new Option('--plan <plan>', 'plan whose limits apply to the user')
        .choices(planNames.filter((plan) => plan !== 'anonymous'))
        .makeOptionMandatory(),
    )
    .action((options: OneUserOptions & { plan: User['plan'] }) =>
      runInOffice(async ({ accounts: { users } }) => {
        const { id } = await users.getUserByEmail(options.email);
        const user = await users.setPlan(id, options.plan, commandLine);
        printUser(user, options, `has the plan ${user.plan}`);
      }),
    );
}

function resetFactorsCommand(): Command {
  return oneUser(
    'reset-factors',
    'Remove the authenticator app, recovery codes and passkeys of a user who lost them, and end all sessions. The user gets a mail.',
  ).action((options: OneUserOptions) =>
    runInOffice(async ({ accounts: { users, administration } }) => {
      const user = await users.getUserByEmail(options.email);
      await administration.resetFactors(user.id, { actor: commandLine });
      printUser(user, options, 'has no second factors and passkeys');
    }),
  );
}

function restoreCommand(): Command {
  return oneUser('restore', 'Restore a user who was deleted and is not erased yet; sessions stay ended.').action(
    (options: OneUserOptions) =>
      runInOffice(async ({ accounts: { users, administration } }) => {
        const { id } = await users.getUserByEmail(options.email);
        await administration.restore(id, { actor: commandLine });
        const user = await users.getUserByEmail(options.email);
        printUser(user, options, `is ${user.status}`);
      }),
  );
}

function deleteCommand(): Command {
  return oneUser('delete', 'Erase a user at once, with all monitors, nodes, keys and tokens. Nothing restores them.')
    .option('--yes', 'do not ask for confirmation')
    .action((options: OneUserOptions & { yes?: true }) =>
      runInOffice(async ({ accounts: { users } }) => {
        const user = await users.getUserByEmail(options.email);
        if (options.yes !== true && !(await isConfirmed(user.email))) return;
        await users.delete(user.id, commandLine);
        if (options.json) printJson(null);
        else printText(`${user.email} is deleted`);
      }),
    );
}

/** Asks on the terminal. @throws ApiError VALIDATION_FAILED if there is none */
async function isConfirmed(email: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw fieldError('yes', 'required', 'is required without a terminal: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question(`Erase ${email} and everything of this account? Type the address to confirm: `);
  terminal.close();
  return typed.trim().toLowerCase() === email;
}

function oneUser(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--email <address>', 'e-mail address of the user')
    .option('--json', 'print the user as JSON');
}

function printUser(user: User, { json }: OneUserOptions, state: string): void {
  if (json) printJson(user);
  else printText(`${user.email} ${state}`);
}
