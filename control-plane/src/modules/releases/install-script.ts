/** Facts that the script needs; null if the person who runs it has to give them. */
export interface ScriptDefaults {
  readonly url: string;
  readonly release: string | null;
  readonly key: string | null;
}

/** The script with its defaults filled in. @throws RangeError when it has no place for one of them */
export function filledScript(script: string, { url, release, key }: ScriptDefaults): string {
  const values = { DEFAULT_URL: url, DEFAULT_RELEASE: release, DEFAULT_KEY: key };
  let filled = script;
  for (const [name, value] of Object.entries(values)) {
    const empty = `\n${name}=''\n`;
    if (!filled.includes(empty)) throw new RangeError(`the script has no ${name}`);
    filled = filled.replace(empty, () => `\n${name}=${quoted(value ?? '')}\n`);
  }
  return filled;
}

/** A word of the shell, whatever its characters. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
