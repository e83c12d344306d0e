/**
 * Compares two versions as `Array.sort` has it: negative if the first is older. Semantic versions have the order of semver.org, section 11;
 * numbers that are missing, as in the 2.36 of a C library, are 0. NOTE: `is_older` of install-agent has the same order.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  const order = compareLists(a.numbers, b.numbers, '0');
  if (order !== 0) return order;
  if (a.early === null || b.early === null) return Number(a.early === null) - Number(b.early === null);
  return compareLists(a.early, b.early, '');
}

/** Identifiers of a version; `early`: those of a pre-release, null for a release. Build metadata are left out. */
function partsOf(version: string) {
  const [precedence = ''] = version.split('+', 1);
  const [numbers = '', ...early] = precedence.split('-');
  return { numbers: numbers.split('.'), early: early.length === 0 ? null : early.join('-').split('.') };
}

/** Compares identifiers one after another; `missing` is in the place of one that a list does not have. */
function compareLists(a: readonly string[], b: readonly string[], missing: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const order = compareIdentifiers(a[at] ?? missing, b[at] ?? missing);
    if (order !== 0) return order;
  }
  return 0;
}

/** Nothing is lower than numbers, and numbers than words. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? -1 : 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  const isLower = isNumber ? BigInt(a) < BigInt(b) : a < b;
  return isLower ? -1 : 1;
}
