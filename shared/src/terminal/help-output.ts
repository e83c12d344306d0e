import { withProgramCalls } from './program-call.js';
import { screenOf } from './screen.js';
import { wrapLine, wrapText } from './wrap-text.js';

/** Width of help that goes to a pipe or a file. */
const USUAL_WIDTH = 80;
const INDENT = 2;
/** Columns of terms; the description of a longer one is below it. */
const TERM_WIDTH = 22;
/** Default of an option that is off or was not repeated. */
const NO_DEFAULT = / \(default: (?:false|\[\])\)$/;
/** Line that is a command to paste. */
const PASTED = /^ +(?:[A-Z_]+=\S+ )*(?:[^\s-]+ .*\| )?\S*vantage(?:-agent|-control)? /;

type Env = Readonly<Record<string, string | undefined>>;
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Layout of the lists in the help of a command, for `configureHelp` of commander. */
export const helpLayout = {
  padWidth: () => TERM_WIDTH,
  subcommandTerm: (command: { name(): string }) => command.name(),
  formatItem(term: string, width: number, description: string): string {
    const indent = ' '.repeat(INDENT);
    if (description === '') return indent + term;
    const about = description.replace(NO_DEFAULT, '');
    const gap = term.length > width ? `\n${' '.repeat(INDENT + width)}` : ' '.repeat(width - term.length);
    return `${indent}${term}${gap}${indent}${about}`;
  },
};

/** Outputs of a command line, for `configureOutput` of commander: lines that fit, and commands that can be typed here. Errors in a log are not wrapped. */
export function helpOutput(env: Env, { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output }) {
  const widthOf = (output: Output) => screenOf(output, env).width;
  const helpWidth = (output: Output) => (Number.isFinite(widthOf(output)) ? widthOf(output) : USUAL_WIDTH);
  const write = (output: Output, width: number, text: string) =>
    void output.write(fitted(withProgramCalls(text, env), width));
  return {
    writeOut: (text: string) => write(stdout, helpWidth(stdout), text),
    writeErr: (text: string) => write(stderr, widthOf(stderr), text),
    getOutHelpWidth: () => helpWidth(stdout),
    getErrHelpWidth: () => helpWidth(stderr),
  };
}

function fitted(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (PASTED.test(line) ? pastedLines(line, width) : wrapLine(line, width)))
    .join('\n');
}

/** A command over several lines, as a shell reads it. */
function pastedLines(line: string, width: number): string[] {
  const parts = wrapText(line.trim(), width - 2 * INDENT - 2);
  return parts.map(
    (part, i) => `${' '.repeat(i === 0 ? INDENT : 2 * INDENT)}${part}${i < parts.length - 1 ? ' \\' : ''}`,
  );
}
