import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ServiceAddress, takeServiceAddress as takeAddress } from '@vantage/shared/service/service-notices.js';
import { readText, ValueError } from './setting-values.js';
import { configFileName, fileKey, type Machine, type Setting, settings } from './settings.js';
import { readNamedFile, readUsualFile, type SettingsFile, usualSettingsFile } from './settings-file.js';

/** Every setting by its key in `settings`, parsed; frozen. */
export type Config = {
  readonly [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Problem in the configuration. */
export interface Complaint {
  /** Name of the variable, or of the file's key if the value came from the file. */
  readonly name: string;
  readonly message: string;
}

/** Everything wrong with the configuration, one line each; no secret is in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly complaints: readonly Complaint[]) {
    super(complaints.map(({ name, message }) => `${name} ${message}`).join('\n'));
  }
}

/** Configuration, with warnings about likely mistakes. */
export interface ParsedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
}

/** Configuration of this process. */
export interface LoadedConfig extends ParsedConfig {
  /** Places that settings were read from, for people. */
  readonly sources: string;
}

/** The environment of this process; read nowhere else. */
export function readEnv(): Environment {
  return process.env;
}

/** Address of the service manager that started this process, taken out of the environment; null if none waits. */
export function takeServiceAddress(): ServiceAddress | null {
  return takeAddress(process.env, process.pid);
}

/**
 * The configuration of this process: environment first, then the file that VANTAGE_CONFIG names or the usual one, then
 * defaults. @throws ConfigError
 */
export function loadConfig(env: Environment = readEnv(), usualFile = usualSettingsFile): LoadedConfig {
  const named = given(env[configFileName]);
  try {
    const file = named === null ? readUsualFile(usualFile) : readNamedFile(named);
    if (typeof file === 'string') return { ...parseConfig({ env, file: null }), sources: `the environment; ${file}` };
    return { ...parseConfig({ env, ...contentOf(file) }), sources: `the environment and "${file.path}"` };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const name = named === null ? 'the configuration file' : configFileName;
    throw new ConfigError([{ name, message: error.message }, ...complaintsWithoutFile(env)]);
  }
}

function contentOf({ form, path, content }: SettingsFile): Pick<Given, 'file' | 'lines'> {
  if (form === 'json') return { file: content };
  return { file: null, lines: { path, entries: content as ReadonlyMap<string, string> } };
}

/** Texts of settings, by source. */
interface Given {
  readonly env: Environment;
  /** Content of the JSON file; null if there is none. */
  readonly file: unknown;
  /** Variables of a file with a line for each. */
  readonly lines?: { readonly path: string; readonly entries: ReadonlyMap<string, string> };
}

/** Settings from the environment and a file. An empty variable counts as unset. @throws ConfigError with all complaints at once */
export function parseConfig({ env, file, lines }: Given): ParsedConfig {
  const complaints: Complaint[] = [];
  const fromFile = fileEntries(file, complaints);
  const sources = [
    environmentSource(env),
    fileSource(fromFile),
    ...(lines === undefined ? [] : [linesSource(lines.path, lines.entries)]),
  ];
  const machine = machineOf(env);
  const values = Object.entries<Setting<unknown>>(settings).map(([key, setting]) => {
    return [key, readSetting(setting, sources, machine, complaints)] as const;
  });
  const config = Object.freeze(Object.fromEntries(values)) as Config;
  complaints.push(...contradictions(config, complaints));
  if (complaints.length > 0) throw new ConfigError(complaints);
  const names = [...Object.keys(env), ...(lines?.entries.keys() ?? [])];
  return { config, warnings: [...unknownVariables(names), ...unknownKeys(fromFile)] };
}

/** Where texts of settings come from; `name` in what it answers is how the person wrote it. */
interface Source {
  find(name: string): { readonly name: string; readonly text: string } | null;
}

function environmentSource(env: Environment): Source {
  return {
    find: (name) => {
      const text = given(env[name]);
      return text === null ? null : { name, text };
    },
  };
}

function fileSource(entries: ReadonlyMap<string, string>): Source {
  return {
    find: (name) => {
      const text = given(entries.get(fileKey(name)));
      return text === null ? null : { name: `"${fileKey(name)}" in the configuration file`, text };
    },
  };
}

function linesSource(path: string, entries: ReadonlyMap<string, string>): Source {
  return {
    find: (name) => {
      const text = given(entries.get(name));
      return text === null ? null : { name: `${name} in "${path}"`, text };
    },
  };
}

function given(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function readSetting<T>(
  setting: Setting<T>,
  sources: readonly Source[],
  machine: Machine,
  complaints: Complaint[],
): T | null {
  for (const source of sources) {
    const plain = source.find(setting.name);
    const byFile = setting.isSecret ? source.find(`${setting.name}_FILE`) : null;
    if (plain !== null && byFile !== null) {
      complaints.push({ name: plain.name, message: `and ${byFile.name} are both set; keep one` });
      return null;
    }
    if (byFile !== null) return attempt(byFile.name, complaints, () => setting.parse(readSecret(byFile.text)));
    if (plain !== null) return attempt(plain.name, complaints, () => setting.parse(plain.text));
  }
  return setting.fallback(machine);
}

function readSecret(path: string): string {
  const text = given(readText(path));
  if (text === null) throw new ValueError(`"${path}" is empty`);
  return text;
}

function attempt<T>(name: string, complaints: Complaint[], read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    complaints.push({ name, message: error.message });
    return null;
  }
}

/** Contradictions between settings, which no setting can find alone. */
function contradictions(config: Config, known: readonly Complaint[]): Complaint[] {
  const { tlsCert, tlsKey } = config;
  const isKnown = known.some(({ name }) => /tls_(cert|key)/i.test(name));
  if (isKnown || (tlsCert === null) === (tlsKey === null)) return [];
  const [set, missing] = tlsCert === null ? [settings.tlsKey, settings.tlsCert] : [settings.tlsCert, settings.tlsKey];
  return [{ name: set.name, message: `is set but ${missing.name} is not; TLS needs both` }];
}

/** The file's values as the texts their variables would have. */
function fileEntries(file: unknown, complaints: Complaint[]): Map<string, string> {
  if (file === null) return new Map();
  if (typeof file !== 'object' || Array.isArray(file)) {
    complaints.push({ name: configFileName, message: 'must be the path of a file that contains a JSON object' });
    return new Map();
  }
  return new Map(Object.entries(file).map(([key, value]) => [key, textOf(value)]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function complaintsWithoutFile(env: Environment): readonly Complaint[] {
  try {
    parseConfig({ env, file: null });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
}

const knownNames = new Set(
  Object.values(settings).flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])),
);
/** Read by the agent, by the command-line client, by the commands of backups and by the test runner. */
const namesOfOthers = /^VANTAGE_(CONFIG|URL|TOKEN|STATE_DIR|BACKUP_PASSPHRASE(_FILE)?|AGENT_.*|TEST_.*)$/;

function unknownVariables(names: readonly string[]): string[] {
  return [...new Set(names)]
    .filter((name) => name.startsWith('VANTAGE_') && !knownNames.has(name) && !namesOfOthers.test(name))
    .map((name) => `unknown variable ${name}`);
}

function unknownKeys(entries: ReadonlyMap<string, string>): string[] {
  const known = new Set([...knownNames].map(fileKey));
  return [...entries.keys()]
    .filter((key) => !known.has(key))
    .map((key) => `unknown key "${key}" in the configuration file`);
}

function machineOf(env: Environment): Machine {
  return {
    isRoot: process.getuid?.() === 0,
    homeDirectory: given(env['HOME']) ?? homedir(),
    dataHome: given(env['XDG_DATA_HOME']),
  };
}

/** Settings of the `vantage` client from its environment; empty counts as unset. */
export interface ClientEnv {
  readonly url: string | null;
  readonly token: string | null;
  /** Directory of the client's own files, as the platform has it. */
  readonly directory: string;
}

/** Reads the settings of the `vantage` client. */
export function readClientEnv(env: Environment = readEnv(), platform: NodeJS.Platform = process.platform): ClientEnv {
  const directory = join(configHome(env, platform), 'vantage');
  return { url: given(env['VANTAGE_URL']), token: given(env['VANTAGE_TOKEN']), directory };
}

function configHome(env: Environment, platform: NodeJS.Platform): string {
  const home = given(env['HOME']) ?? homedir();
  if (platform === 'win32') return given(env['APPDATA']) ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return given(env['XDG_CONFIG_HOME']) ?? join(home, '.config');
}
