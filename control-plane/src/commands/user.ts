import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { printJson } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

interface CreateOptions {
  readonly email: string;
  readonly role: 'user' | 'admin';
  readonly passwordStdin?: true;
  readonly json?: true;
}

/** `vantage-control user create` */
export function userCommand(): Command {
  const create = new Command('create')
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
  return new Command('user').description('Users.').addCommand(create);
}
