import { Type } from 'typebox';
import { oneLine } from '../formats/characters.js';

/** Schema of a keyword that a vendor demands in every message. */
export const KeywordSchema = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '\\S',
  description: 'Keyword of the security settings of the robot. It is added to messages that do not contain it.',
  example: 'Vantage',
});

/** Line to add to a text so that it contains the keyword, as the vendor compares it; empty if it does already. */
export function keywordLine(written: string, keyword: string | undefined): readonly string[] {
  if (keyword === undefined || written.includes(keyword)) return [];
  return [oneLine(keyword)];
}
