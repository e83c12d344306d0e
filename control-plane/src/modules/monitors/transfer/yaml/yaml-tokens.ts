import { CST, Lexer, Parser } from 'yaml';
import { tooDeep, tooManyValues, type YamlLimits, YamlMistake } from './yaml-limits.js';

/**
 * Splits a text into the syntax of its documents. Anchors, aliases, scalars and depth are counted token by token, before
 * anything is built from them: a file above the limits costs no more than reading it.
 * @throws YamlMistake
 */
export function* boundedTokens(
  text: string,
  limits: YamlLimits,
  onNewLine: (offset: number) => void,
): Generator<CST.Token, void> {
  const parser = new Parser(onNewLine);
  const counts = new TokenCounts(limits);
  onNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    counts.add(lexeme);
    yield* parser.next(lexeme);
    // in addition to open collections there are the document and a scalar
    if (parser.stack.length > limits.depth + 2) throw tooDeep(limits);
  }
  yield* parser.end();
}

class TokenCounts {
  readonly #counts = { anchors: 0, aliases: 0, scalars: 0 };
  #isText = false;

  constructor(private readonly limits: YamlLimits) {}

  /** @throws YamlMistake for one too many */
  add(lexeme: string): void {
    const counts = this.#counts;
    // the previous token distinguishes a plain from a block scalar, whose text may begin with any character
    const isText = this.#isText;
    this.#isText = !isText && lexeme === CST.SCALAR;
    if (isText || lexeme[0] === '"' || lexeme[0] === "'") counts.scalars += 1;
    else if (lexeme[0] === '&') counts.anchors += 1;
    else if (lexeme[0] === '*') counts.aliases += 1;
    if (counts.scalars > this.limits.values) throw tooManyValues(this.limits);
    if (counts.anchors > this.limits.anchors) throw new YamlMistake(`it has more than ${this.limits.anchors} anchors`);
    if (counts.aliases > this.limits.anchors) throw new YamlMistake(`it has more than ${this.limits.anchors} aliases`);
  }
}
