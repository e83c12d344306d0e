import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { commandLine } from '../audit-log/actor.js';
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

/** `vantage-control user create | list | disable | enable | set-plan` */
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
    .addCommand(planCommand());
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
