import { Slices } from '../runtime/slices.js';

/** Greatest length of the rows of one statement, in UTF-16 code units: a longer text keeps the event loop busy while it is made and sent. */
const MOST_LENGTH = 512 * 1024;
/** Characters of a row that are one step, as `Slices` counts them: they are written as JSON, encoded and copied. */
const CHARACTERS_PER_STEP = 50;

/** Hands rows to `write` in their order, as texts of JSON lists: one for up to half a megabyte of them. */
export async function writeJsonRows(
  rows: readonly object[],
  write: (json: string) => PromiseLike<unknown>,
): Promise<void> {
  const slices = new Slices();
  let [texts, length]: [string[], number] = [[], 0];
  const flush = async () => {
    if (texts.length > 0) await write(`[${texts.join()}]`);
    [texts, length] = [[], 0];
  };
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (length + text.length > MOST_LENGTH) await flush();
    texts.push(text);
    length += text.length;
    await slices.spend(1 + text.length / CHARACTERS_PER_STEP);
  }
  await flush();
}
