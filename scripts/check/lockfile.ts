import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';

/** The parts of a lockfile's entry that are judged here. */
interface LockEntry {
  readonly resolved?: string;
  readonly integrity?: string;
  /** True for a package of this project. */
  readonly link?: boolean;
  /** True for a package that comes in the archive of another one. */
  readonly inBundle?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** `path in node_modules -> entry`, as in package-lock.json. */
type LockedPackages = Readonly<Record<string, LockEntry>>;

/** The lockfile is one that `npm ci` takes on every machine. */
export const lockfile: Check = {
  name: 'lockfile',
  title: 'package-lock.json is whole, has a checksum of each package and names no registry',
  run: async (root) => {
    const { packages }: { packages: LockedPackages } = JSON.parse(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    );
    return [...findGaps(packages), ...findUnverified(packages), ...findRegistries(packages)];
  },
};

/**
 * Dependencies without an entry. npm leaves out the optional ones that a registry did not have for the machine that
 * wrote the lockfile, and then `npm ci` refuses it.
 */
export function findGaps(packages: LockedPackages): Finding[] {
  return Object.entries(packages).flatMap(([path, { dependencies = {}, optionalDependencies = {} }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(packages, path, name))
      .map((name) => `package-lock.json: no entry for "${name}", which "${path}" depends on`),
  );
}

/** Searches where Node would: in the node_modules of the package, then of each folder above it. */
function isLocked(packages: LockedPackages, path: string, name: string): boolean {
  const folder = path === '' ? '' : `${path}/`;
  if (`${folder}node_modules/${name}` in packages) return true;
  return path !== '' && isLocked(packages, path.slice(0, Math.max(0, path.lastIndexOf('/'))), name);
}

/** Packages of a registry without a checksum, of which `npm ci` would install whatever a registry sends. */
export function findUnverified(packages: LockedPackages): Finding[] {
  return Object.entries(packages)
    .filter(([path, { link, inBundle }]) => path.includes('node_modules/') && link !== true && inBundle !== true)
    .filter(([, { integrity }]) => integrity === undefined)
    .map(
      ([path]) =>
        `package-lock.json: "${path}" has no integrity: remove the entry, then npm install --package-lock-only`,
    );
}

/** Entries that name the registry they came from: it need not be the reader's. */
export function findRegistries(packages: LockedPackages): Finding[] {
  return Object.entries(packages)
    .filter(([, { resolved }]) => resolved !== undefined && /^https?:/.test(resolved))
    .map(([path, { resolved }]) => `package-lock.json: "${path}" names a registry: ${resolved}`);
}
