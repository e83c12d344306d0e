import { exitWhenOutputCloses } from '@vantage/shared/closed-output.js';
import { helpLayout, helpOutput } from '@vantage/shared/terminal/help-output.js';
import { type Command, CommanderError } from 'commander';
import { readEnv } from '../config/config.js';

/** Exit code of a command line that was not understood. */
const USAGE_EXIT_CODE = 2;

/**
 * Parses the command line and runs its command. Wrong arguments, which commander has explained by then, end with exit
 * code 2; an error of an action is thrown on.
 */
export async function runProgram(program: Command): Promise<void> {
  exitWhenOutputCloses(process);
  const output = helpOutput(readEnv(), process);
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError('(--help shows every option)');
    command.configureHelp(helpLayout).configureOutput(output);
  }
  try {
    // a program in one file is run by `node -e`, which commander would take for a program without a file
    await program.parseAsync(process.argv, { from: 'node' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // help and version end this way too, with 0
    if (error.exitCode !== 0) process.exitCode = USAGE_EXIT_CODE;
  }
}

/** Subcommands that were made on their own inherit nothing. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
