/** Alphabet and number of segments of a text message. */
export interface SmsSize {
  readonly alphabet: 'gsm-7' | 'ucs-2';
  readonly segments: number;
}

// 3GPP TS 23.038 section 6.2.1: the default alphabet, and its extension, whose characters take two septets each
const GSM_BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const GSM_EXTENSION = new Set('\f^{}\\[~]|€');

/** Septets or UCS-2 units of one message, and of each part of a longer one: the header of a part takes 6 bytes. */
const capacities = { 'gsm-7': { alone: 160, part: 153 }, 'ucs-2': { alone: 70, part: 67 } } as const;

/** Size of a text message. A character is never divided between two segments. */
export function smsSize(text: string): SmsSize {
  const widths = septets(text);
  const alphabet = widths === null ? 'ucs-2' : 'gsm-7';
  const { alone, part } = capacities[alphabet];
  const units = widths ?? [...text].map((character) => character.length);
  const total = units.reduce((sum, width) => sum + width, 0);
  return { alphabet, segments: total <= alone ? 1 : countParts(units, part) };
}

/** Septets of each character; null if one of them is not in the alphabet. */
function septets(text: string): readonly number[] | null {
  const widths: number[] = [];
  for (const character of text) {
    if (GSM_BASIC.has(character)) widths.push(1);
    else if (GSM_EXTENSION.has(character)) widths.push(2);
    else return null;
  }
  return widths;
}

function countParts(widths: readonly number[], capacity: number): number {
  let [parts, used] = [1, 0];
  for (const width of widths) {
    if (used + width > capacity) {
      parts += 1;
      used = 0;
    }
    used += width;
  }
  return parts;
}
