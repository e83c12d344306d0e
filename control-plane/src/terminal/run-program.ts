import { exitWhenOutputCloses } from '@vantage/shared/closed-output.js';
import { nearestOf } from '@vantage/shared/nearest.js';
import { helpLayout, helpOutput } from '@vantage/shared/terminal/help-output.js';
import { plainText } from '@vantage/shared/terminal/plain-text.js';
import { type Command, CommanderError } from 'commander';
import { readEnv } from '../config/config.js';

/** Exit code of a command line that was not understood. */
const USAGE_EXIT_CODE = 2;

/** Where commander puts a reason, which begins in lower case. */
const INVALID = /( is invalid(?: for argument '\S+')?)\. (?=[a-z])/;

/**
 * Parses the command line and runs its command. Wrong arguments, which commander has explained by then, end with exit
 * code 2; an error of an action is thrown on.
 */
export async function runProgram(program: Command): Promise<void> {
  exitWhenOutputCloses(process);
  const output = helpOutput(readEnv(), process);
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError('(--help shows every option)').configureHelp(helpLayout);
    command.configureOutput({ ...output, outputError: (text, write) => write(errorText(command, text)) });
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

/** An error of commander; an unknown command, also in place of a default one, has the nearest name. */
function errorText(command: Command, text: string): string {
  const unknown = unknownCommand(command, text);
  return plainText(
    unknown === null
      ? text.replace('command-argument value', 'value').replace(INVALID, '$1: ')
      : noSuchCommand(unknown.word, unknown.names),
  );
}

/** Word that was to be a command, and the commands there are; null if the error is another one. */
function unknownCommand(command: Command, text: string) {
  const [, word] = /^error: unknown command '(.*)'/.exec(text) ?? [];
  if (word !== undefined) return { word, names: namesOf(command) };
  const { parent } = command;
  const given = parent?.args[0];
  // a default command gets the words of an unknown one
  if (!text.startsWith('error: too many arguments') || parent === null || given === undefined) return null;
  return given === command.name() || command.args[0] !== given ? null : { word: given, names: namesOf(parent) };
}

function namesOf({ commands }: Command): string[] {
  return commands.map((command) => command.name());
}

function noSuchCommand(word: string, names: readonly string[]): string {
  const meant = nearestOf(word, names) ?? names.find((name) => word.length > 1 && name.startsWith(word));
  const hint = meant === undefined ? `; commands: ${names.join(', ')}` : `, did you mean "${meant}"?`;
  return `error: no such command "${word}"${hint}\n`;
}
