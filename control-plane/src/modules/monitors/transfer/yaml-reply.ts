/** How much there may be of anything in YAML. */
export interface YamlLimits {
  readonly depth: number;
  /** Values, aliases counted as what they stand for. */
  readonly values: number;
  /** Characters of all texts, aliases counted as what they stand for. */
  readonly texts: number;
  /** Uses of anchors. */
  readonly aliases: number;
}

/** What the thread that reads YAML answers: the value, or what is wrong and where, counted from 1. */
export type YamlReply =
  | { readonly value: unknown }
  | {
      readonly mistake: { readonly message: string; readonly line: number | null; readonly column: number | null };
    };
