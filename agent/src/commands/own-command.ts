import { existsSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'vantage-agent';
/** Folder of an installation without root, below the home of the user. */
const FOLDER = '.local/bin';

/** Words that start this program in a shell. */
export interface OwnCommand {
  readonly command: string;
  /** Sentence for a user whose PATH lacks the program; null if a shell finds it. */
  readonly advice: string | null;
}

/** Command of this program as the shell of its user finds it. */
export function ownCommand({ path, home }: { readonly path: readonly string[]; readonly home: string }): OwnCommand {
  const installed = join(home, FOLDER, NAME);
  const isFound = path.some((folder) => existsSync(join(folder, NAME)));
  if (isFound || !existsSync(installed)) return { command: NAME, advice: null };
  const line = `export PATH="$HOME/${FOLDER}:$PATH"`;
  return {
    command: installed,
    advice: `${NAME} is in ${join(home, FOLDER)}, which is not in PATH. This line in ~/.profile adds it: ${line}`,
  };
}
