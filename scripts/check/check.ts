/** Something wrong, in one line or more: `path:line: what, and the rule that says so`. */
export type Finding = string;

/** One of the checks that `npm run check` makes. */
export interface Check {
  /** `npm run check -- NAME` runs this one alone. */
  readonly name: string;
  /** What it holds true, for `--help`. */
  readonly title: string;
  /** Finds what is wrong in the checkout at `root`; an empty list when nothing is. */
  run(root: string): Promise<readonly Finding[]>;
  /** What is to be known although nothing is wrong, in one line; null: nothing. */
  remark?(root: string): string | null;
}
