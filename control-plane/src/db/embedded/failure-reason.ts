/** The line of PostgreSQL's output that names the cause, with what to do about it where that is plain. */
export function reasonOf(output: string, exitCode: number | null): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const cause = lines.find((line) => /\b(FATAL|PANIC|error):/.test(line)) ?? lines.at(-1) ?? `exit code ${exitCode}`;
  const detail = lines.find((line) => /no space left on device|disk quota exceeded/i.test(line));
  if (detail !== undefined)
    return `the disk is full; free some space or choose another VANTAGE_DATA_DIR (${detail.trim()})`;
  return cause.replace(/^.*?\b(FATAL|PANIC|error):\s*/, '').trim();
}
