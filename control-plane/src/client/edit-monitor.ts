import type { Command } from 'commander';
import { outputScreen, printJson } from '../terminal/print.js';
import { clientCommand } from './client-command.js';
import { inWords } from './field-words.js';
import { findMonitor } from './find-monitor.js';
import { Mistake } from './mistake.js';
import {
  addSettingOptions,
  refuseForeignOptions,
  type SettingOptions,
  settingFields,
  settingRefusal,
  settingWord,
} from './monitor-settings.js';
import { type Monitor, monitorsText } from './monitors-text.js';
import { type ClientOptions, withClient } from './with-client.js';

interface EditOptions extends ClientOptions, SettingOptions {
  readonly target?: string;
}

/** `vantage monitors edit`: the options of `add`; settings that are left out stay as they are. */
export function editCommand(): Command {
  const command = clientCommand('edit', 'Change a monitor; what is left out stays as it is', [
    'monitors edit Shop --interval 30s',
    'monitors edit Shop --name "Shop EU" --target https://eu.example.com/',
  ])
    .argument('<monitor>', 'name or id')
    .option('--target <target>', 'URL, host or host:port');
  return addSettingOptions(command).action((word: string, options: EditOptions) =>
    withClient(options, async (client) => {
      const { id } = await findMonitor(client, word);
      const before = await client.call<Monitor>('GET', `/v1/monitors/${id}`);
      refuseForeignOptions(before.type, options);
      const { target } = options;
      const change = {
        ...(target === undefined ? {} : { target }),
        ...settingFields(before.type, options, before.config),
      };
      if (Object.keys(change).length === 0) throw new Mistake('there is nothing to change: give an option (--help)');
      const monitor = await inWords(
        client.call<Monitor>('PATCH', `/v1/monitors/${id}`, change),
        settingWord,
        settingRefusal,
      );
      if (options.json) return printJson(monitor);
      process.stdout.write(`${monitorsText([monitor], outputScreen())}\n`);
    }),
  );
}
