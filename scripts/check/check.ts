/** A violation, in one line or more: `path:line: violation, and the rule`. */
export type Finding = string;

/** One of the checks that `npm run check` makes. */
export interface Check {
  /** `npm run check -- NAME` runs this one alone. */
  readonly name: string;
  /** Rule that the check enforces, for `--help`. */
  readonly title: string;
  /** Finds what is wrong in the checkout at `root`; an empty list when nothing is. */
  run(root: string): Promise<readonly Finding[]>;
}
