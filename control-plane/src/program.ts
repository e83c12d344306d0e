import { Command } from 'commander';
import { alertsCommand } from './commands/alerts.js';
import { backupCommand } from './commands/backup.js';
import { examplesHelp } from './commands/command-examples.js';
import { doctorCommand } from './commands/doctor.js';
import { enrollmentTokenCommand } from './commands/enrollment-token.js';
import { eventsCommand } from './commands/events.js';
import { migrateCommand } from './commands/migrate.js';
import { monitorsCommand } from './commands/monitors.js';
import { nodeCommand } from './commands/node.js';
import { restoreCommand } from './commands/restore.js';
import { rolloutCommand } from './commands/rollout.js';
import { serveCommand } from './commands/serve.js';
import { signingKeyCommand } from './commands/signing-key.js';
import { tokenCommand } from './commands/token.js';
import { userCommand } from './commands/user.js';
import { settingsHelp } from './config/settings-reference.js';
import { exitCodesHelp } from './runtime/exit-codes.js';
import { printLines } from './terminal/print.js';
import { version } from './version.js';

const settingsHint = 'Settings: `vantage-control help settings` lists them.';

/** The command line of vantage-control: every command, and help that is complete for each. */
export function buildProgram(): Command {
  const program: Command = new Command('vantage-control')
    .description('Control plane of Vantage: REST API, links of agents, storage.')
    .version(version)
    .addHelpText('afterAll', ({ command }) => {
      const about = command.name() === 'settings' ? settingsHelp() : settingsHint;
      return `${examplesHelp(command)}\n${about}\n\n${exitCodesHelp()}`;
    });
  const commands = [
    serveCommand,
    migrateCommand,
    doctorCommand,
    backupCommand,
    restoreCommand,
    userCommand,
    tokenCommand,
    enrollmentTokenCommand,
    nodeCommand,
    rolloutCommand,
    monitorsCommand,
    alertsCommand,
    eventsCommand,
    signingKeyCommand,
    settingsCommand,
  ];
  for (const command of commands) program.addCommand(command());
  return program;
}

/** `vantage-control settings`; its help has them, too. */
function settingsCommand(): Command {
  return new Command('settings')
    .description('List the settings of the control plane, with their defaults.')
    .action(() => printLines(settingsHelp()));
}
