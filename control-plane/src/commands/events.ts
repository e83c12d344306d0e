import { Command } from 'commander';
import { commandLine } from '../audit-log/actor.js';
import type { EventStatus } from '../modules/events/index.js';
import { printJson, printTable } from '../terminal/print.js';
import type { Office } from './office.js';
import { runInOffice } from './run-command.js';

interface ActOptions {
  readonly all?: true;
  readonly consumer?: string;
  readonly json?: true;
}

/** `vantage-control events status | retry | drop` */
export function eventsCommand(): Command {
  return new Command('events')
    .description('Show events between modules that were set aside, retry them, or drop them.')
    .addCommand(statusCommand())
    .addCommand(
      actCommand('retry', {
        description: 'Handle events again that were set aside, with all their attempts.',
        note: 'Later events of the same subject may have been handled already: the order is lost.',
        act: (events, filter) => events.retry(filter, commandLine),
      }),
    )
    .addCommand(
      actCommand('drop', {
        description: 'Drop events that were set aside: they are never handled.',
        note: 'The work of the consumer, such as sending a notification, is never done.',
        act: (events, filter) => events.drop(filter, commandLine),
      }),
    );
}

function statusCommand(): Command {
  return new Command('status')
    .description(
      'Show what waits for each consumer, and the newest hundred events that were set aside, with the reason of the last failure.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nAn event is set aside after eight failures, and deleted 30 days later.')
    .action((options: { json?: true }) =>
      runInOffice(async ({ events }) => {
        const status = await events.status();
        if (options.json) printJson(jsonOf(status));
        else printStatus(status);
      }),
    );
}

function jsonOf({ consumers, setAside }: EventStatus) {
  return {
    consumers: consumers.map(({ consumer, pending, dead, lagSeconds }) => ({
      consumer,
      pending,
      dead,
      lag_seconds: lagSeconds,
    })),
    set_aside: setAside.map(({ event_id, dead_at, ...event }) => ({ id: event_id, ...event, set_aside_at: dead_at })),
  };
}

function printStatus({ consumers, setAside }: EventStatus): void {
  if (consumers.length > 0)
    printTable(
      ['CONSUMER', 'PENDING', 'SET ASIDE', 'LAG (S)'],
      consumers.map(({ consumer, pending, dead, lagSeconds }) => [
        consumer,
        String(pending),
        String(dead),
        lagSeconds.toFixed(0),
      ]),
    );
  if (setAside.length === 0) process.stdout.write('no event is set aside\n');
  else
    printTable(
      ['EVENT', 'CONSUMER', 'KIND', 'SUBJECT', 'SET ASIDE AT', 'REASON'],
      setAside.map(({ event_id, consumer, kind, subject, dead_at, last_error }) => [
        event_id,
        consumer,
        kind,
        subject,
        dead_at.toISOString(),
        last_error ?? '-',
      ]),
    );
}

interface EventAct {
  readonly description: string;
  readonly note: string;
  readonly act: (
    events: Office['events'],
    filter: Parameters<Office['events']['retry']>[0],
  ) => ReturnType<Office['events']['retry']>;
}

function actCommand(name: string, { description, note, act }: EventAct): Command {
  return new Command(name)
    .description(description)
    .argument('[id]', 'id of the event, evt_…')
    .option('--all', 'all events that are set aside')
    .option('--consumer <name>', 'only for this consumer')
    .option('--json', 'print JSON')
    .addHelpText('after', `\n${note}`)
    .action((id: string | undefined, { all, consumer, json }: ActOptions, command: Command) => {
      if ((id === undefined) === (all === undefined)) command.error('error: name an event, or use --all');
      return runInOffice(async ({ events }) => {
        const changed = await act(events, { id: id ?? null, consumer: consumer ?? null });
        if (json) printJson(changed.map(({ event_id, consumer: by }) => ({ id: event_id, consumer: by })));
        else
          printTable(
            ['EVENT', 'CONSUMER'],
            changed.map(({ event_id, consumer: by }) => [event_id, by]),
          );
      });
    });
}
