/** Text on a single line: names and reasons come from people and servers, and must not end a line of a mail. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
