import type { Import } from './imports.js';
import { isTestCode } from './source-files.js';

/** Rule that forbids an import, or null. */
export interface ImportRule {
  readonly name: string;
  /** Sentence for the person who breaks the rule. */
  readonly says: string;
  forbids(from: string, imported: Import): boolean;
}

/** Rule that forbids a use in code outside of `allowed`. */
export interface UseRule {
  readonly name: string;
  readonly says: string;
  /** Pattern that is searched in code without comments and strings. */
  readonly pattern: RegExp;
  isAllowed(path: string): boolean;
}

/** `control-plane/src/modules/nodes/store.ts` -> `nodes`; null outside of the modules. */
function moduleOf(path: string): string | null {
  return /^control-plane\/src\/modules\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** `links` or `ingest`; null elsewhere. */
function partOf(path: string): string | null {
  return /^control-plane\/src\/(links|ingest)\//.exec(path)?.[1] ?? null;
}

function packageOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

function isScript(path: string): boolean {
  return path.startsWith('scripts/');
}

/** Code that a browser runs. */
function isConsole(path: string): boolean {
  return path.startsWith('control-plane/console/');
}

/** True if one of a path's folders has one of these names. */
function isUnder(path: string, ...folders: readonly string[]): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((folder) => folders.includes(folder));
}

function isCompositionRoot(path: string): boolean {
  return /^(?:agent\/src\/(?:agent|cli)|control-plane\/src\/(?:control-plane|cli))\.ts$|^[^/]+\/src\/cli\//.test(path);
}

const sockets = new Set([
  'node:net',
  'node:dgram',
  'node:tls',
  'node:http',
  'node:https',
  'node:http2',
  'ws',
  'undici',
  'raw-socket',
]);
/** Members of node:net that open nothing. */
const plainAddressWork = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress']);

const isPackage = (imported: Import, ...names: readonly string[]) => names.includes(imported.specifier);

/** Rules for imports. Tests may reach past the doors of what they test, but not from one program into the other. */
export const importRules: readonly ImportRule[] = [
  {
    name: 'shared-knows-nobody',
    says: 'shared/ imports only itself and the generated protocol',
    forbids: (from, { target }) => packageOf(from) === 'shared' && target !== null && packageOf(target) !== 'shared',
  },
  {
    name: 'programs-never-meet',
    says: 'agent/ and control-plane/ never import each other',
    forbids: (from, { target }) =>
      target !== null && [packageOf(from), packageOf(target)].sort().join(' ') === 'agent control-plane',
  },
  {
    name: 'shared-by-name',
    says: "shared code is imported as '@vantage/shared/…'",
    forbids: (from, { specifier, target }) =>
      packageOf(from) !== 'shared' && specifier.startsWith('.') && target !== null && packageOf(target) === 'shared',
  },
  {
    name: 'scripts-are-last',
    says: 'nothing imports scripts/ but scripts/',
    forbids: (from, { target }) => !isScript(from) && target !== null && isScript(target),
  },
  {
    name: 'module-door',
    says: 'another module is reached only through its index.ts (its module.ts by the list of all modules)',
    forbids: (from, { target }) => {
      const module = target === null ? null : moduleOf(target);
      if (module === null || module === moduleOf(from) || isTestCode(from) || isConsole(from)) return false;
      const isModuleList =
        from === 'control-plane/src/wiring/modules.ts' && target?.endsWith(`/modules/${module}/module.ts`);
      return !isModuleList && !target?.endsWith(`/modules/${module}/index.ts`);
    },
  },
  {
    name: 'part-door',
    says: 'links/ and ingest/ are reached only through their index.ts',
    forbids: (from, { target }) => {
      const part = target === null ? null : partOf(target);
      return part !== null && part !== partOf(from) && !isTestCode(from) && !target?.endsWith(`/${part}/index.ts`);
    },
  },
  {
    name: 'console-is-a-client',
    says: 'the console imports types of the control plane alone, and nothing but the console imports the console',
    forbids: (from, { target, isType }) =>
      target !== null && (isConsole(from) ? !isConsole(target) && !isType : isConsole(target)),
  },
  {
    name: 'koa-in-http',
    says: 'Koa lives in control-plane/src/http/',
    forbids: (from, imported) =>
      isPackage(imported, 'koa') && !from.startsWith('control-plane/src/http/') && !isScript(from),
  },
  {
    name: 'knex-in-db',
    says: 'knex lives in db/ and store.ts; elsewhere only its types may be named, to pass a transaction on',
    forbids: (from, imported) =>
      isPackage(imported, 'knex') &&
      !imported.isType &&
      !isUnder(from, 'db') &&
      !from.endsWith('store.ts') &&
      !isCompositionRoot(from) &&
      !isTestCode(from),
  },
  {
    name: 'pg-in-db-and-bus',
    says: 'pg lives in db/ and bus/',
    forbids: (from, imported) =>
      isPackage(imported, 'pg', 'pg-copy-streams') &&
      !isUnder(from, 'db', 'bus') &&
      !isTestCode(from) &&
      !isScript(from),
  },
  {
    name: 'sockets-have-places',
    says: 'sockets live in net/, identity/, link(s)/, bus/, deliver/, http/, client/, probes/ and db/embedded/',
    forbids: (from, imported) =>
      sockets.has(imported.specifier) &&
      !imported.isType &&
      !(imported.names.length > 0 && imported.names.every((name) => plainAddressWork.has(name))) &&
      !isUnder(from, 'net', 'identity', 'link', 'links', 'bus', 'deliver', 'http', 'client', 'probes', 'embedded') &&
      !isTestCode(from) &&
      !isScript(from),
  },
  {
    name: 'metrics-in-one-place',
    says: 'metrics are created in metrics.ts of a module, runtime/metrics.ts and http/frame/metrics.ts of the control plane, which docs/operating.md is compared with',
    forbids: (from, { specifier, isType }) =>
      specifier === 'prom-client' &&
      !isType &&
      !isTestCode(from) &&
      !isScript(from) &&
      !/^control-plane\/src\/(?:http\/frame\/metrics|runtime\/(?:alert-)?metrics|modules\/[^/]+\/metrics)\.ts$/.test(
        from,
      ),
  },
  {
    name: 'one-schema-compiler',
    says: 'schemas are compiled by shared/src/validation.ts alone (docs/decisions/0009-own-readers.md)',
    forbids: (from, { specifier }) =>
      /^(?:ajv(?:-formats)?|typebox)(?:\/|$)/.test(specifier) &&
      specifier !== 'typebox' &&
      from !== 'shared/src/validation.ts' &&
      !isTestCode(from),
  },
];

/** Uses that only certain files may have. */
export const useRules: readonly UseRule[] = [
  {
    name: 'environment-in-config',
    says: 'process.env is read in config.ts',
    pattern: /\bprocess\s*\.\s*env\b/g,
    isAllowed: (path) => path.endsWith('/config.ts') || isTestCode(path) || isScript(path),
  },
  {
    name: 'time-in-clock',
    says: 'time and timers come from the Clock (shared/src/clock.ts), so that tests can hold them',
    pattern:
      /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\s*\.\s*now\b|\bprocess\s*\.\s*hrtime\b|\bset(?:Timeout|Interval)\s*\(|\bAbortSignal\s*\.\s*timeout\b/g,
    // The guardian is a program of its own that outlives its owner.
    isAllowed: (path) =>
      /\/clock\.ts$|\/guardian[^/]*\.ts$/.test(path) || isConsole(path) || isTestCode(path) || isScript(path),
  },
  {
    name: 'sql-in-stores',
    says: 'SQL is written in db/ and in files named store.ts or …-store.ts',
    pattern: /\b(?:db|trx|knex)\s*(?:\(|<[\w<>[\], ]+>\()|(?<=\b(?:db|trx|knex))\s*\.\s*raw\b/g,
    isAllowed: (path) => isUnder(path, 'db') || path.endsWith('store.ts') || isTestCode(path) || isScript(path),
  },
];

/** Names of files and folders that collect unrelated code. */
export const junkDrawer = /(?:^|\/)(?:utils?|helpers?|common|misc)\/|\/(?:utils?|helpers?|common|misc|types)\.ts$/;
