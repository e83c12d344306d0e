import pc from 'picocolors';

/** Meaning of a text, which a terminal shows by a colour; the words alone say it too. */
export type Tone = 'good' | 'bad' | 'warning' | 'faint' | 'strong';

/** Colours a text by its meaning. */
export type Paint = (text: string, tone: Tone | null) => string;

/** Variables of the environment that decide on colours. */
type ColourEnvironment = Readonly<Record<string, string | undefined>>;

/** Leaves texts as they are. */
export const plain: Paint = (text) => text;

/** Colours texts with the sixteen colours that every theme of a terminal defines. */
export const coloured: Paint = paintOf(pc.createColors(true));

export function paintFor(output: { readonly isTTY?: boolean }, env: ColourEnvironment): Paint {
  return hasColours(output, env) ? coloured : plain;
}

/**
 * True if an output gets colours. As in Node.js, `FORCE_COLOR` decides first (`0` and `false` say no); then a value of
 * `NO_COLOR` and `TERM=dumb` say no, and a terminal says yes.
 */
export function hasColours(output: { readonly isTTY?: boolean }, env: ColourEnvironment): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if ((none ?? '') !== '' || terminal === 'dumb') return false;
  return output.isTTY === true;
}

function paintOf(colours: ReturnType<typeof pc.createColors>): Paint {
  const functions = {
    good: colours.green,
    bad: colours.red,
    warning: colours.yellow,
    faint: colours.dim,
    strong: colours.bold,
  };
  return (text, tone) => (tone === null || text === '' ? text : functions[tone](text));
}
