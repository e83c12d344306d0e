/** One instruction of a Dockerfile, its continued lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** One image of a Dockerfile, from its FROM to the next. */
export interface BuildStage {
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** Stages of a Dockerfile. @throws Error for an instruction before the first FROM */
export function parseDockerfile(text: string): BuildStage[] {
  const joined = text.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const stages: { name: string; image: string; instructions: Instruction[] }[] = [];
  for (const line of joined.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    const [, image = '', stage = ''] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
    if (name === 'FROM') stages.push({ name: stage, image, instructions: [] });
    else if (stages.at(-1) === undefined || name === '') throw new Error(`unexpected: ${line}`);
    else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** Texts of all instructions of a name. */
export function instructionsOf({ instructions }: BuildStage, name: string): string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text);
}
