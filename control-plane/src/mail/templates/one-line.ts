/** Names and reasons are what people and servers wrote: no line of a mail ends where they want. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
