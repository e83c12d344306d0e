import type { Command } from 'commander';
import { printJson, printText } from '../terminal/print.js';
import { clientCommand } from './client-command.js';
import { inWords } from './field-words.js';
import { Mistake } from './mistake.js';
import {
  addSettingOptions,
  HEARTBEAT,
  refuseForeignOptions,
  type SettingOptions,
  settingFields,
  settingRefusal,
  settingWord,
} from './monitor-settings.js';
import type { Monitor } from './monitors-text.js';
import { type ClientOptions, withClient } from './with-client.js';

interface AddOptions extends ClientOptions, SettingOptions {}

/** Monitor that was created; one that waits for a job has the address at which the job checks in. */
interface Added extends Monitor {
  readonly heartbeat?: { readonly url: string };
}

const examples = [
  'https https://example.com/ --name Shop --interval 5m',
  'keyword https://example.com/ --contains "In stock"',
  "json https://example.com/health --path '$.status' --equals ok",
  "heartbeat --name Backup --cron '30 2 * * *' --timezone Europe/Berlin",
];

/** `vantage monitors add`: a monitor that nodes check, or a heartbeat at which a job checks in. Prints its id, and the address. */
export function addCommand(): Command {
  const command = clientCommand(
    'add',
    'Create a monitor; a heartbeat waits for a job to check in',
    examples.map((line) => `monitors add ${line}`),
  )
    .argument('<type>', 'https, keyword, json, ping, tcp, dns, heartbeat, …; docs/monitors.md lists them')
    .argument('[target]', 'URL, host or host:port; a heartbeat has none');
  return addSettingOptions(command).action((type: string, target: string | undefined, options: AddOptions) =>
    withClient(options, async (client) => {
      const body = bodyOf(type, target, options);
      const monitor = await inWords(client.call<Added>('POST', '/v1/monitors', body), settingWord, settingRefusal);
      if (options.json) return printJson(monitor);
      const { id, heartbeat } = monitor;
      printText([id, ...(heartbeat === undefined ? [] : [heartbeat.url])].join('\n'));
    }),
  );
}

/** @throws Mistake */
function bodyOf(type: string, target: string | undefined, options: AddOptions): object {
  refuseForeignOptions(type, options);
  const fields = settingFields(type, options);
  if (type === HEARTBEAT) {
    if (target !== undefined) throw new Mistake(`a heartbeat has no target: what is "${target}"?`);
    if (options.name === undefined) throw new Mistake('a heartbeat needs a --name, for example that of the job');
    return { type, ...fields };
  }
  if (target === undefined) throw new Mistake(`a monitor of type ${type} needs a target`);
  const { contains, absent, path, equals, set = {} } = options;
  if (type === 'keyword' && contains === undefined && absent === undefined && !('keyword' in set))
    throw new Mistake('a monitor of type keyword needs --contains or --absent, with the text');
  if (type === 'json' && ((path === undefined && !('path' in set)) || (equals === undefined && !('value' in set))))
    throw new Mistake("a monitor of type json needs --path and --equals, such as --path '$.status' --equals ok");
  return { name: target, type, target, ...fields };
}
