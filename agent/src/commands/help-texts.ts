import { type EnvironmentVariable, environmentVariables } from '../config.js';
import { type ExitName, exitCodes } from '../exit-codes.js';

/** Text below the options in a command's help: environment variables, exit codes, examples. */
export function helpText(parts: {
  readonly environment: readonly EnvironmentVariable[];
  readonly exits: readonly ExitName[];
  readonly examples: readonly string[];
}): string {
  return [
    ...(parts.environment.length === 0 ? [] : ['', 'Environment:']),
    ...definitions(parts.environment.map((name) => [name, environmentVariables[name]])),
    '',
    'Exit codes:',
    ...definitions(parts.exits.map((name) => [String(exitCodes[name].code), exitCodes[name].meaning])),
    '',
    'Examples:',
    ...parts.examples.map((example) => `  ${example}`),
  ].join('\n');
}

function definitions(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}`);
}
