import type { Command } from 'commander';
import t from 'tap';
import { settings } from './config/settings.js';
import { buildProgram } from './program.js';

/** Every command that does something, by how it is called. */
function actions(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => actions(child, [...path, child.name()]));
}

function helpOf(command: Command): string {
  let text = '';
  const collect = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut: collect });
  command.outputHelp();
  return text;
}

/** Options of each command, and other texts that its help must have. */
const expected: Readonly<Record<string, readonly string[]>> = {
  serve: ['--remove-at-exit <dir>', '"msg":"ready"'],
  migrate: ['--json'],
  doctor: ['--json', 'exit code is 1'],
  backup: [
    '<file>',
    '--verify',
    '--passphrase-file <file>',
    '--force',
    '--json',
    'VANTAGE_BACKUP_PASSPHRASE',
    'age --decrypt',
  ],
  restore: ['<file>', '--passphrase-file <file>', '--replace', '--json', 'Stop all servers first'],
  'user create': ['--email <address>', '--role <role>', '--password-stdin', '--json', 'at least 8'],
  'user list': ['--json'],
  'user disable': ['--email <address>', '--json'],
  'user enable': ['--email <address>', '--json'],
  'user set-plan': ['--email <address>', '--plan <plan>', 'business', '--json'],
  'user reset-factors': ['--email <address>', '--json'],
  'user restore': ['--email <address>', '--json'],
  'user delete': ['--email <address>', '--yes', '--json'],
  'token create': ['--user <email>', '--name <name>', '--scopes <list>', '--json', 'probe:read', 'alert:write'],
  'token list': ['--json'],
  'token revoke': ['<id>', '--json'],
  'enrollment-token create': [
    '--user <email>',
    '--label <text>',
    '--country <code>',
    '--expires-in-hours <n>',
    '--json',
  ],
  'enrollment-token list': ['--json'],
  'enrollment-token revoke': ['<id>', '--json'],
  'node list': ['--json'],
  'node show': ['<id>', '--json'],
  'node audit': ['<id>', '--json'],
  'node ban': ['<id>', '--reason <text>', '--json'],
  'node unban': ['<id>', '--json'],
  'node drain': ['<id>', '--json'],
  'node undrain': ['<id>', '--json'],
  'node rotate-key': ['<id>', '--json'],
  'node upgrade': ['<id>', '--to <version>', '--json'],
  'rollout start': [
    '--to <version>',
    '--from <places>',
    '--stages <percent>',
    '--max-failures <n>',
    '--pause-s <s>',
    '--json',
    'at the same time',
  ],
  'rollout list': ['--json'],
  'rollout show': ['<id>', '--json'],
  'rollout pause': ['<id>', '--json'],
  'rollout resume': ['<id>', '--json'],
  'rollout abort': ['<id>', '--json'],
  'monitors import': ['<file>', '--user <email>', '--format <format>', '--mode <mode>', '--dry-run', '--json'],
  'monitors export': ['--user <email>'],
  'alerts status': ['--json', 'wait'],
  'alerts test': ['--channel <id>', '--dry-run', '--json', 'exit code is 1'],
  'events status': ['--json', 'set aside'],
  'events retry': ['--all', '--consumer <name>', '--json'],
  'events drop': ['--all', '--consumer <name>', '--json'],
  'signing-key rotate': ['--drop-old', '--json'],
  settings: [],
};

t.test(
  'help of every command names its options, an example, where the settings are listed, and the exit codes',
  async (t) => {
    const commands = actions(buildProgram());
    t.same(
      commands.map(([name]) => name),
      Object.keys(expected),
    );
    for (const [name, command] of commands) {
      const help = helpOf(command).replace(/\s+/g, ' ');
      const wanted = [
        ...(expected[name] ?? []),
        `vantage-control ${name}`,
        'Examples:',
        ...(name === 'settings' ? [] : ['Settings: `vantage-control help settings` lists them']),
        'Exit codes:',
        '--help',
      ];
      t.same(
        wanted.filter((text) => !help.includes(text)),
        [],
        name,
      );
      t.equal(help.includes('VANTAGE_GEOIP_DIR'), name === 'settings', `${name}: settings stand in one place`);
      for (const { flags, description } of command.options)
        t.ok(help.includes(flags) && description !== '', `${name} ${flags}`);
    }
  },
);

t.test('help lists the commands, and help of settings every setting with its default', async (t) => {
  const program = buildProgram();
  const commands = helpOf(program);
  for (const name of ['serve', 'migrate', 'user', 'token', 'enrollment-token', 'node'])
    t.match(commands, new RegExp(`^  ${name}\\b`, 'm'));
  const help = program.commands
    .filter((command) => command.name() === 'settings')
    .map(helpOf)
    .join('');
  for (const { name, description, fallbackText } of Object.values(settings)) {
    t.ok(help.includes(`${description}\n      default: ${fallbackText}`), name);
  }
});
