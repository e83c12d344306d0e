import { Command } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import type { AlertStatus } from '../modules/alerts/index.js';
import { personalOwner } from '../owners/index.js';
import { printComplaint, printJson, printTable, printText } from '../terminal/print.js';
import { runInOffice } from './run-command.js';

interface TestOptions {
  readonly channel: string;
  readonly dryRun?: true;
  readonly json?: true;
}

/** `vantage-control alerts status | test` */
export function alertsCommand(): Command {
  return new Command('alerts')
    .description('Show the state of alerts, and test alert channels.')
    .addCommand(statusCommand())
    .addCommand(testCommand());
}

function statusCommand(): Command {
  return new Command('status')
    .description(
      'Show the alerts that are open, the messages that wait, those given up within 24 hours, and the channels that fail.',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: true }) =>
      runInOffice(async ({ alerts }) => {
        const status = await alerts.operator.status();
        if (options.json) printJson(status);
        else printStatus(status);
      }),
    );
}

function printStatus({ open, pending, dead_24h: dead, failing_channels: failing }: AlertStatus): void {
  if (open.length === 0) process.stdout.write('no alert is open\n');
  else
    printTable(
      ['OPEN ALERTS', 'SEVERITY', 'NUMBER'],
      open.map(({ status, severity, count }) => [status, severity, String(count)]),
    );
  const types = [...new Set([...Object.keys(pending), ...Object.keys(dead)])].sort();
  if (types.length === 0) process.stdout.write('no messages wait, and none were given up within 24 hours\n');
  else
    printTable(
      ['TYPE', 'PENDING', 'DEAD (24 H)'],
      types.map((type) => [type, String(pending[type] ?? 0), String(dead[type] ?? 0)]),
    );
  if (failing.length === 0) process.stdout.write('no channel fails\n');
  else
    printTable(
      ['FAILING CHANNEL', 'TYPE', 'OWNER', 'SINCE', 'NAME', 'LAST ERROR'],
      failing.map(({ id, type, owner_id, since, name, last_error }) => [
        id,
        type,
        owner_id,
        since ?? '-',
        name,
        last_error ?? '-',
      ]),
    );
}

function testCommand(): Command {
  return new Command('test')
    .description('Send a test message to an alert channel of any account, and wait for the result.')
    .requiredOption('--channel <id>', 'id of the channel, ch_…')
    .option('--dry-run', 'print the request without sending it, secrets masked')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nIf the receiver does not accept the message, the exit code is 1.')
    .action(({ channel, dryRun, json }: TestOptions) =>
      runInOffice(async ({ openAlerts }) => {
        const { operator, testSend } = await openAlerts();
        const owner = personalOwner(await operator.getOwnerId(channel));
        const { ok, delivery, request, used_by, advice } = await testSend.run(
          channel,
          { kind: 'firing', isDryRun: dryRun === true },
          { account: { owner }, actor: commandLine },
        );
        const last = delivery?.attempts.at(-1);
        if (!ok) process.exitCode = 1;
        if (json)
          return printJson({
            ok,
            delivery_id: delivery?.id ?? null,
            attempts: delivery?.attempts ?? [],
            request,
            used_by,
            advice,
          });
        if (request !== null) printText(`${request.method} ${request.url}\n${request.body}`);
        else if (ok) printText(`${channel} accepted the message (${delivery?.id})`);
        else
          printComplaint(
            'vantage-control',
            `${channel} did not accept the message: ${last?.error ?? delivery?.reason}`,
          );
        if (advice !== null) printComplaint('vantage-control', advice);
      }),
    );
}
