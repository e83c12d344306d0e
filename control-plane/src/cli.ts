import { Command } from 'commander';
import { enrollmentTokenCommand } from './commands/enrollment-token.js';
import { migrateCommand } from './commands/migrate.js';
import { nodeCommand } from './commands/node.js';
import { serveCommand } from './commands/serve.js';
import { tokenCommand } from './commands/token.js';
import { userCommand } from './commands/user.js';
import { exitCodesHelp } from './exit-codes.js';
import { settingsHelp } from './settings-reference.js';
import { runProgram } from './terminal/run-program.js';
import { version } from './version.js';

const program = new Command('vantage-control')
  .description('The control plane of Vantage: REST API, agents’ links, storage.')
  .version(version)
  .addHelpText('afterAll', `\n${settingsHelp()}\n\n${exitCodesHelp()}`);

for (const command of [
  serveCommand(),
  migrateCommand(),
  userCommand(),
  tokenCommand(),
  enrollmentTokenCommand(),
  nodeCommand(),
]) {
  program.addCommand(command);
}

await runProgram(program);
