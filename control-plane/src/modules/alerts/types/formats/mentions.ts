/**
 * Replaces the sign of a mention by its full-width form, which names no one at any vendor. An e-mail address keeps its
 * sign: no vendor reads a mention between two letters or digits of ASCII.
 */
export function withoutMentions(text: string): string {
  return text.replace(/(?<![A-Za-z0-9])@|@(?![A-Za-z0-9])/g, '＠');
}
