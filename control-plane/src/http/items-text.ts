import { Slices } from '../runtime/slices.js';
import { JsonText } from './json-text.js';

/** Characters of JSON that are one step, as `Slices` counts them. */
const CHARACTERS_PER_STEP = 50;
const PIECE_CHARACTERS = 16_384;

/** Data of a list whose items may be large together: `{"items": […]}`, written in slices. */
export async function itemsText<R>(
  rows: readonly R[],
  view: (row: R) => object,
  signal: AbortSignal,
): Promise<JsonText> {
  const slices = new Slices(signal);
  const pieces: Buffer[] = [];
  let text = '{"items":[';
  for (const [index, row] of rows.entries()) {
    const item = JSON.stringify(view(row));
    text += index === 0 ? item : `,${item}`;
    if (text.length > PIECE_CHARACTERS) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    const turn = slices.spend(1 + item.length / CHARACTERS_PER_STEP);
    if (turn !== null) await turn;
  }
  return new JsonText([...pieces, Buffer.from(`${text}]}`)]);
}
