import { Slices } from '../runtime/slices.js';
import { JsonText } from './json-text.js';

/** Characters of JSON that are one step, as `Slices` counts them. */
const CHARACTERS_PER_STEP = 50;

/** Data of a list whose items may be large together: `{"items": […]}`, written in slices. */
export async function itemsText<R>(
  rows: readonly R[],
  view: (row: R) => object,
  signal: AbortSignal,
): Promise<JsonText> {
  const slices = new Slices(signal);
  const pieces: Buffer[] = [];
  for (const row of rows) {
    const text = JSON.stringify(view(row));
    pieces.push(Buffer.from(pieces.length === 0 ? text : `,${text}`));
    await slices.spend(1 + text.length / CHARACTERS_PER_STEP);
  }
  return new JsonText([Buffer.from('{"items":['), ...pieces, Buffer.from(']}')]);
}
