/** The entries of a comma-separated list, without the blanks around them; empty ones count for nothing. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
