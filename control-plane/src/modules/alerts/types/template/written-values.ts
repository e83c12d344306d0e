import type { BodyForm } from '../../../../config/body-form.js';
import { manyLines } from '../formats/characters.js';
import { escapeXml } from '../formats/speech.js';

/** Place of a value in a template. */
export interface ValuePlace {
  /** Name of the variable. */
  readonly name: string;
  /** True if the last filter is `json`: the value is a JSON string with its quotation marks. */
  readonly isQuoted: boolean;
}

/** Writes a value where its placeholder is. */
export type WriteValue = (value: string, place: ValuePlace) => string;

/** Writes a value as it is, or as JSON. */
export const asItIs: WriteValue = (value, { isQuoted }) => (isQuoted ? JSON.stringify(value) : value);

/** Rule of each form, by which no value leaves its place. */
export const writeIn: Readonly<Record<BodyForm, WriteValue>> = {
  json: (value, { isQuoted }) => (isQuoted ? JSON.stringify(value) : JSON.stringify(value).slice(1, -1)),
  form: (value, place) => encodeURIComponent(asItIs(manyLines(value), place)),
  // an attribute would lose its line breaks
  xml: (value, place) => escapeXml(asItIs(manyLines(value), place)).replace(/\n/g, '&#10;'),
  text: (value, place) => (place.name === 'text' ? asItIs : onOneLine)(manyLines(value), place),
};

const onOneLine: WriteValue = (value, place) => asItIs(value.replace(/\n+/g, ' '), place);
