/** Limits of a YAML document. */
export interface YamlLimits {
  readonly depth: number;
  /** Number of values, with aliases expanded. */
  readonly values: number;
  /** Number of characters in all texts, with aliases expanded. */
  readonly texts: number;
  /** Number of anchors and aliases. */
  readonly anchors: number;
}

/** Error in a YAML text, or a limit exceeded. */
export class YamlMistake extends Error {
  override readonly name = 'YamlMistake';

  /** `offset`: in the text; null where there is no place to show. */
  constructor(
    message: string,
    readonly offset: number | null = null,
  ) {
    super(message);
  }
}

/** Error for nesting too deep. */
export function tooDeep({ depth }: YamlLimits): YamlMistake {
  return new YamlMistake(`it is nested deeper than ${depth}`);
}

/** Error for too many values. */
export function tooManyValues({ values }: YamlLimits): YamlMistake {
  return new YamlMistake(`it has more than ${values} values after aliases are expanded`);
}

/** Error for too many characters. */
export function tooMuchText({ texts }: YamlLimits): YamlMistake {
  return new YamlMistake(`it has more than ${texts} characters after aliases are expanded`);
}
