import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { commandLine } from '../actor.js';
import type { User } from '../modules/accounts/index.js';
import { planNames } from '../plans.js';
import { printJson, printTable } from '../terminal/print.js';
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
    .description('Users.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(stateCommand('disable', 'Shut a user out: their sessions, keys and tokens open nothing from now on.'))
    .addCommand(stateCommand('enable', 'Let a disabled user in again.'))
    .addCommand(planCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('Make a user with the plan unlimited.')
    .requiredOption('--email <address>', 'e-mail address')
    .addOption(new Option('--role <role>', 'what the user may do').choices(['user', 'admin']).default('user'))
    .option(
      '--password-stdin',
      'read a password from standard input (at least 8 characters); without one only tokens sign in',
    )
    .option('--json', 'print the user as JSON')
    .action((options: CreateOptions) =>
      runInOffice(async ({ accounts }) => {
        const password = options.passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : null;
        const user = await accounts.createUser({ email: options.email, role: options.role, password });
        if (options.json) printJson(user);
        else process.stdout.write(`${user.role} ${user.email} is ${user.id}\n`);
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List all users, newest first.')
    .option('--json', 'print them as JSON')
    .action((options: { json?: true }) =>
      runInOffice(async ({ accounts }) => {
        const users = await accounts.listUsers();
        if (options.json) return printJson(users);
        const rows = users.map(({ id, email, role, plan, status, created_at }) => [
          id,
          email,
          role,
          plan,
          status,
          created_at,
        ]);
        printTable(['ID', 'E-MAIL', 'ROLE', 'PLAN', 'STATUS', 'MADE'], rows);
      }),
    );
}

function stateCommand(name: 'disable' | 'enable', description: string): Command {
  return oneUser(name, description).action((options: OneUserOptions) =>
    runInOffice(async ({ accounts }) => {
      const { id } = await accounts.getUserByEmail(options.email);
      const user = await accounts.setDisabled(id, name === 'disable', commandLine);
      printUser(user, options, `is ${user.status}`);
    }),
  );
}

function planCommand(): Command {
  return oneUser('set-plan', 'Give a user another plan.')
    .addOption(
      new Option('--plan <plan>', 'the limits that hold for them')
        .choices(planNames.filter((plan) => plan !== 'anonymous'))
        .makeOptionMandatory(),
    )
    .action((options: OneUserOptions & { plan: User['plan'] }) =>
      runInOffice(async ({ accounts }) => {
        const { id } = await accounts.getUserByEmail(options.email);
        const user = await accounts.setPlan(id, options.plan, commandLine);
        printUser(user, options, `has the plan ${user.plan}`);
      }),
    );
}

function oneUser(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--email <address>', 'whose account')
    .option('--json', 'print the user as JSON');
}

function printUser(user: User, { json }: OneUserOptions, state: string): void {
  if (json) printJson(user);
  else process.stdout.write(`${user.email} ${state}\n`);
}
