import { sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import { Progress } from '@vantage/shared/terminal/progress.js';
import { Command, InvalidArgumentError } from 'commander';
import { parseFrom } from '../node-words.js';
import { outputScreen, printJson } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { readNames } from './list-nodes.js';
import { type NameOf, needsNames } from './node-places.js';
import { fromHelp, refuseWords, splitPlaces, understood } from './probe-words.js';
import { endText, sectionText } from './report-text.js';
import { runDiagnose } from './run-diagnose.js';
import { withPlaces } from './unmatched-places.js';
import { type ClientOptions, parseLimit, withClient } from './with-client.js';

interface DiagnoseOptions extends ClientOptions {
  readonly scope?: string[];
  readonly from?: string;
  readonly limit?: number;
  readonly share?: true;
  readonly minScore?: number;
}

const examples = `
Examples:
  vantage diagnose example.com
  vantage diagnose https://example.com/shop from Germany, US --share
  vantage diagnose example.com --scope http,ssl,security_headers --min-score 80`;

/** `vantage diagnose`: a report, section by section as they end. */
export function diagnoseCommand(): Command {
  return new Command('diagnose')
    .description('Examine a target from several nodes: findings with scores')
    .argument('<target>', 'a domain, an http(s) URL or an address')
    .option('--scope <list>', `comma-separated sections (default: ${sectionNames.join(',')})`, parseScope)
    .argument('[words...]', 'from and places')
    .option('--from <places>', fromHelp)
    .option('--limit <n>', 'greatest number of nodes, 1 to 50 (default: 3)', parseLimit)
    .option('--share', 'let everyone with the link read the report, and print the link')
    .option('--min-score <n>', 'exit with 1 if the overall score is lower, 0 to 100', parseScore)
    .option('--url <url>', 'address of the API')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', examples)
    .action((target: string, words: string[], given: DiagnoseOptions, command: Command) => {
      const { before, from } = understood(command, () => splitPlaces(words, given.from));
      understood(command, () => refuseWords(before));
      const options = { ...given, ...(from === undefined ? {} : { from }) };
      return withClient(options, (client) => diagnose(client, target, options));
    });
}

async function diagnose(client: ApiClient, target: string, options: DiagnoseOptions): Promise<void> {
  const { scope, from, limit, share, minScore, json } = options;
  const progress = new Progress(process.stderr);
  const nodes = { ...parseFrom(from ?? ''), ...(limit === undefined ? {} : { limit }) };
  const order = {
    target,
    nodes,
    ...(scope === undefined ? {} : { scope }),
    ...(share === undefined ? {} : { shared: true }),
  };
  let nameOf: NameOf = () => null;
  progress.show('sending the request…');
  try {
    const report = await runDiagnose(client, order, {
      onBegun: async ({ scope: asked, nodes: places }) => {
        progress.show(`0 of ${asked.length} sections`);
        if (json !== true && needsNames(places)) nameOf = await readNames(client);
      },
      onSection: (name, section, { begun, ended }) => {
        progress.clear();
        const place = { nodes: begun.nodes, nameOf, screen: outputScreen() };
        if (json !== true) process.stdout.write(`${sectionText(name, section, place)}\n`);
        progress.show(`${ended} of ${begun.scope.length} sections`);
      },
    });
    progress.clear();
    if (json === true) printJson(report);
    else process.stdout.write(`${endText(report, { isShared: share === true, screen: outputScreen() })}\n`);
    if (report.status === 'failed' || (minScore !== undefined && (report.overall_score ?? 0) < minScore))
      process.exitCode = 1;
  } catch (error) {
    progress.clear();
    throw await withPlaces(error, client, from);
  } finally {
    progress.clear();
  }
}

function parseScope(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !sectionNames.some((known) => known === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`no section "${unknown}": use ${sectionNames.join(', ')}`);
  return names;
}

function parseScore(text: string): number {
  const score = Number(text);
  if (!Number.isInteger(score) || score < 0 || score > 100) throw new InvalidArgumentError('must be 0 to 100');
  return score;
}
