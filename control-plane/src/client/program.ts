import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { wrappedRows } from '@vantage/shared/terminal/wrapped-rows.js';
import { Command } from 'commander';
import { ownFacts } from '../client-file.js';
import { outputScreen, printJson, printText } from '../terminal/print.js';
import { version } from '../version.js';
import { channelsCommand } from './channel-commands.js';
import { USUAL_URL } from './chosen-server.js';
import { diagnoseCommand } from './diagnose-command.js';
import { listNodes } from './list-nodes.js';
import { loginCommands } from './login-commands.js';
import { lookupCommands } from './lookup-commands.js';
import { monitorsCommand } from './monitor-commands.js';
import { nodesText } from './nodes-text.js';
import { probeCommand } from './probe-command.js';
import { silenceCommand, silencesCommand } from './silence-commands.js';
import { taskCommand } from './task-command.js';
import { verifyCommand } from './verify-command.js';
import { type ClientOptions, withClient } from './with-client.js';

/** Exit codes of vantage; the one list. */
export const clientExitCodes = [
  { code: 0, meaning: 'done; for a probe: every node succeeded' },
  {
    code: 1,
    meaning:
      'a node failed, got a status of 400 or more (unless --any-status) or a grade of F, M or T; a report failed or scores less than --min-score; or `verify` found another file',
  },
  { code: 2, meaning: 'wrong arguments, or the API refused the request' },
  { code: 3, meaning: 'the API cannot be reached' },
] as const;

const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['VANTAGE_URL', `address of the API (default: that of vantage login, else ${ownFacts()?.url ?? USUAL_URL})`],
  [
    'VANTAGE_TOKEN',
    'personal access token, sent as a bearer token (default: that of vantage login, for its own address alone)',
  ],
  ['NO_COLOR, COLUMNS', 'no colours, and the width of the output; FORCE_COLOR: colours in a pipe too'],
];

/** Environment and exit codes, as the last lines of each help. */
function endOfHelp(): string {
  const width = (process.stdout.columns || 80) - 2;
  const rows = (texts: readonly (readonly string[])[]) => wrappedRows(texts, { width }).map((line) => `  ${line}`);
  const codes = clientExitCodes.map(({ code, meaning }) => [String(code), meaning]);
  return ['', 'Environment:', ...rows(environment), '', 'Exit codes:', ...rows(codes)].join('\n');
}

/** The command line of vantage: a command for each probe type, those of lookups, one for reports, and one for nodes. */
export function buildClientProgram(): Command {
  const program = new Command('vantage')
    .description('Run probes from many places with the Vantage API.')
    .version(version)
    .addHelpText('after', '\nExample:\n  vantage http https://example.com/ --from DE,AS3320 --limit 5')
    .addHelpText('afterAll', endOfHelp);
  for (const type of probeTypeNames) program.addCommand(probeCommand(type));
  for (const command of lookupCommands()) program.addCommand(command);
  const ofAlerts = [monitorsCommand(), channelsCommand(), silenceCommand(), silencesCommand()];
  const others = [diagnoseCommand(), taskCommand(), ...ofAlerts, nodesCommand(), ...loginCommands(), verifyCommand()];
  for (const command of others) program.addCommand(command);
  return program;
}

function nodesCommand(): Command {
  return new Command('nodes')
    .description('List the nodes that you can use')
    .option('--url <url>', 'address of the API')
    .option('--details', 'show the ids too')
    .option('--json', 'print the nodes as JSON')
    .addHelpText('after', '\nExamples:\n  vantage nodes\n  vantage nodes --json')
    .action((options: ClientOptions & { readonly details?: true }) =>
      withClient(options, async (client) => {
        const items = await listNodes(client);
        if (options.json) return printJson(items);
        if (items.length === 0)
          return printText(
            'there are no nodes yet: `vantage-control enrollment-token create` makes a token to enroll one',
          );
        process.stdout.write(`${nodesText(items, outputScreen(), options.details)}\n`);
      }),
    );
}
