/** Typographic signs that are not in the alphabet of GSM, and would more than halve the length of a message. */
const simpler: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/[\u00a0\u2009\u202f]/g, ' '],
  [/[\u00b7\u2022]/g, '-'],
];

/** Text of a text message, which has neither markup nor mentions: typographic signs in their simple form. */
export function smsText(text: string): string {
  return simpler.reduce((written, [sign, plain]) => written.replace(sign, plain), text);
}
