import { Composer, LineCounter } from 'yaml';
import { type YamlLimits, YamlMistake } from './yaml-limits.js';
import { boundedTokens } from './yaml-tokens.js';
import { yamlValue } from './yaml-value.js';

// without the known ones a tag of any but the core schema is a warning; unique keys the library would find by comparing
// each with all others
const rules = { schema: 'core', resolveKnownTags: false, merge: true, uniqueKeys: false } as const;

/**
 * The value of a document, as plain values.
 * @throws YamlMistake, its message with line and column, counted from 1, where there is a place to show
 */
export function readYaml(text: string, limits: YamlLimits): unknown {
  const lines = new LineCounter();
  try {
    return readDocument(text, limits, lines);
  } catch (error) {
    if (!(error instanceof YamlMistake) || error.offset === null) throw error;
    const { line, col } = lines.linePos(Math.min(error.offset, text.length));
    throw new YamlMistake(`line ${line}, column ${col}: ${error.message}`);
  }
}

function readDocument(text: string, limits: YamlLimits, lines: LineCounter): unknown {
  const { document, second } = composed(text, limits, lines);
  const [problem] = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  if (problem !== undefined) throw new YamlMistake(problem.message, problem.pos[0]);
  if (second !== undefined) throw new YamlMistake('it contains more than one document', second.range[0]);
  return yamlValue(document?.contents, limits);
}

function composed(text: string, limits: YamlLimits, lines: LineCounter) {
  try {
    const tokens = boundedTokens(text, limits, lines.addNewLine);
    const [document, second] = new Composer(rules).compose(tokens, true, text.length);
    return { document, second };
  } catch (error) {
    if (error instanceof YamlMistake) throw error;
    // the library throws for a little of what it usually collects
    throw new YamlMistake(error instanceof Error ? error.message : String(error));
  }
}
