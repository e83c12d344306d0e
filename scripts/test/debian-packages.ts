/** An installed Debian package, as dpkg-query tells of it. */
export interface DebianPackage {
  readonly name: string;
  /** Essential, or of priority "required": on every Debian (Debian policy 2.5, 3.8). */
  readonly isOnEveryDebian: boolean;
  /** Dependencies, each with its alternatives in order. */
  readonly dependencies: readonly (readonly string[])[];
  /** Names that it stands for, too. */
  readonly provides: readonly string[];
}

/** Format for `dpkg-query --show --showformat`; `parsePackages` reads the output. */
export const packageFormat =
  '${db:Status-Status}\t${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n';

/** The installed packages among those printed. */
export function parsePackages(text: string): DebianPackage[] {
  const rows = text.split('\n').map((line) => line.split('\t'));
  return rows
    .filter(([status]) => status === 'installed')
    .map(([, name = '', essential, priority, dependencies = '', provides = '']) => ({
      name,
      isOnEveryDebian: essential === 'yes' || priority === 'required',
      dependencies: listed(dependencies).map((choice) => choice.split('|').map(bareName)),
      provides: listed(provides).map(bareName),
    }));
}

/** The packages of these names and all that they depend on; of alternatives the first that is installed. */
export function withDependencies(packages: readonly DebianPackage[], names: readonly string[]): string[] {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const find = (name: string) =>
    byName.get(name) ??
    packages.find(({ provides, isOnEveryDebian }) => isOnEveryDebian && provides.includes(name)) ??
    packages.find(({ provides }) => provides.includes(name));
  const found = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const one = find(name);
    if (one === undefined || found.has(one.name)) continue;
    found.add(one.name);
    for (const choices of one.dependencies)
      queue.push(...choices.filter((choice) => find(choice) !== undefined).slice(0, 1));
  }
  return [...found].sort();
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** `libc6:any (>= 2.36)` -> `libc6` */
function bareName(text: string): string {
  return text.trim().replace(/[\s:(].*$/s, '');
}
