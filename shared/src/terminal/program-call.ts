/** Words that start a program in the same way as the running one was started: through npx, or by its name. */
export function programCall(program: string, env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === 'npx' ? `npx --no ${program}` : program;
}
