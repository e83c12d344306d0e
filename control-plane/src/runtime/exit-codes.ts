/** How vantage-control ends; the one list. */
export const exitCodes = [
  { code: 0, meaning: 'done' },
  { code: 1, meaning: 'failed; the last line states the reason' },
  { code: 2, meaning: 'wrong arguments or configuration' },
] as const;

/** The list as the last lines of --help. */
export function exitCodesHelp(): string {
  return ['Exit codes:', ...exitCodes.map(({ code, meaning }) => `  ${code}  ${meaning}`)].join('\n');
}
