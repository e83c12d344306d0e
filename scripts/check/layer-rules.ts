import type { Import } from './imports.js';
import { isTestCode } from './source-files.js';

/** An import that a rule forbids, or null. */
export interface ImportRule {
  readonly name: string;
  /** The sentence a person reads who breaks it. */
  readonly says: string;
  forbids(from: string, imported: Import): boolean;
}

/** A use in the code itself that a rule forbids outside of `allowed`. */
export interface UseRule {
  readonly name: string;
  readonly says: string;
  /** Looked for in code without comments and strings. */
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

/** Whether one of a path's folders has one of these names. */
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
  'net-ping',
]);
/** What node:net has that opens nothing. */
const plainAddressWork = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress']);

const isPackage = (imported: Import, ...names: readonly string[]) => names.includes(imported.specifier);

/** Who may import whom. Tests may reach past the doors of what they test, but not from one program into the other. */
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
    says: 'another module is reached only through its index.ts (its routes.ts by the list of all routes)',
    forbids: (from, { target }) => {
      const module = target === null ? null : moduleOf(target);
      if (module === null || module === moduleOf(from) || isTestCode(from)) return false;
      const isRouteList = from === 'control-plane/src/routes.ts' && target?.endsWith(`/modules/${module}/routes.ts`);
      return !isRouteList && !target?.endsWith(`/modules/${module}/index.ts`);
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
    name: 'koa-in-http',
    says: 'Koa lives in control-plane/src/http/',
    forbids: (from, imported) =>
      isPackage(imported, 'koa', '@koa/router') && !from.startsWith('control-plane/src/http/') && !isScript(from),
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
    says: 'sockets live in net/, identity/, link(s)/, bus/, http/, client/, probes/ and db/embedded/',
    forbids: (from, imported) =>
      sockets.has(imported.specifier) &&
      !imported.isType &&
      !(imported.names.length > 0 && imported.names.every((name) => plainAddressWork.has(name))) &&
      !isUnder(from, 'net', 'identity', 'link', 'links', 'bus', 'http', 'client', 'probes', 'embedded') &&
      !isTestCode(from) &&
      !isScript(from),
  },
  {
    name: 'measuring-apart',
    says: 'link/ and spool/ of the agent import nothing that measures: probes run in another process',
    forbids: (from, { target }) =>
      /^agent\/src\/(?:link|spool)\//.test(from) &&
      !isTestCode(from) &&
      /^agent\/src\/(?:probes\/|net\/(?!abortable\.ts$)|measuring\/(?:runner|local-runner|local-room)\.ts$)/.test(
        target ?? '',
      ),
  },
  {
    name: 'metrics-in-one-place',
    says: 'metrics are made in metrics.ts, monitor-metrics.ts and http/metrics.ts of the control plane, where docs/operating.md is held to them',
    forbids: (from, { specifier, isType }) =>
      specifier === 'prom-client' &&
      !isType &&
      !isTestCode(from) &&
      !isScript(from) &&
      !/^control-plane\/src\/(?:http\/|monitor-)?metrics\.ts$/.test(from),
  },
  {
    name: 'links-know-no-http',
    says: 'links/ and ingest/ know no HTTP',
    forbids: (from, { target }) =>
      /^control-plane\/src\/(?:links|ingest)\//.test(from) &&
      !isTestCode(from) &&
      target !== null &&
      target.startsWith('control-plane/src/http/'),
  },
];

/** What may stand only in certain files. */
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
    isAllowed: (path) => /\/clock\.ts$|\/guardian[^/]*\.ts$/.test(path) || isTestCode(path) || isScript(path),
  },
  {
    name: 'sql-in-stores',
    says: 'SQL is written in db/ and in files named store.ts or …-store.ts',
    pattern: /\b(?:db|trx|knex)\s*(?:\(|<[\w<>[\], ]+>\()|(?<=\b(?:db|trx|knex))\s*\.\s*raw\b/g,
    isAllowed: (path) => isUnder(path, 'db') || path.endsWith('store.ts') || isTestCode(path) || isScript(path),
  },
];

/** Names of files and folders that gather what belongs elsewhere. */
export const junkDrawer = /(?:^|\/)(?:utils?|helpers?|common|misc)\/|\/(?:utils?|helpers?|common|misc|types)\.ts$/;
