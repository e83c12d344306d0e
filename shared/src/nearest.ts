/** Longest word that is compared: a longer one is no mistyped name. */
const MAX_LENGTH = 64;

/** Known word that a mistyped one resembles most; null if none resembles it. Case, `_` and `-` do not count. */
export function nearestOf(word: string, known: readonly string[]): string | null {
  const bare = bareOf(word);
  if (word.length > MAX_LENGTH || bare === '') return null;
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(bare.length / 3));
  for (const candidate of known) {
    const distance = editDistance(bare, bareOf(candidate));
    if (distance > least || (distance === least && nearest !== null)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

function bareOf(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '');
}

/** Letters to insert, delete, replace or swap with the next one, at least, to make one word of the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
