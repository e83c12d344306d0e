import { exitWhenOutputCloses } from '@vantage/shared/closed-output.js';
import { type Command, CommanderError } from 'commander';

/** Exit code of a command line that was not understood. */
const USAGE_EXIT_CODE = 2;

/**
 * Parses the command line and runs its command. Wrong arguments, which commander has explained by then, end with exit
 * code 2; an error of an action is thrown on.
 */
export async function runProgram(program: Command): Promise<void> {
  exitWhenOutputCloses(process);
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError('(--help shows every option)');
  }
  try {
    await program.parseAsync();
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
