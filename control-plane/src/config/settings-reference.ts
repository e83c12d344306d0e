import { configFileName, type Setting, settings } from './settings.js';
import { usualSettingsFile } from './settings-file.js';

/** The settings as the last part of `--help`: name, sentence and default of each. */
export function settingsHelp(): string {
  const entries = Object.values<Setting<unknown>>(settings).map(
    ({ name, isSecret, description, fallbackText }) =>
      `  ${name}${isSecret ? ' (or _FILE)' : ''}\n      ${description}\n      default: ${fallbackText}`,
  );
  return [
    `Settings, by environment variable, or by a line NAME=value of ${usualSettingsFile} or of the file whose path is in ${configFileName}. That may be JSON, too: keys in lower case without VANTAGE_. The environment takes precedence:`,
    '',
    ...entries,
  ].join('\n');
}

/** The settings as a table in Markdown, for docs/settings.md. */
export function settingsTable(): string {
  const rows = Object.values<Setting<unknown>>(settings).map(
    ({ name, isSecret, description, fallbackText }) =>
      `| \`${name}\`${isSecret ? ' (`_FILE`)' : ''} | ${description} | ${fallbackText} |`,
  );
  return ['| Variable | Meaning | Default |', '|---|---|---|', ...rows].join('\n');
}
