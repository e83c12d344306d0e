import { posix } from 'node:path';
import {
  type ExternalProgram,
  externalPrograms,
  isAlwaysThere,
  packagesFor,
} from '@vantage/shared/_support/external-programs.js';
import { labPrograms } from '../../lab/demand-lab.js';
import type { Finding } from '../check.js';
import { findImports } from '../imports.js';
import { isTestCode, type SourceFile } from '../source-files.js';
import { productPrograms } from './product-programs.js';
import { type ProgramUse, readProgramUse } from './started-programs.js';

const tablePath = 'shared/src/_support/external-programs.ts';
const productPath = 'scripts/check/programs/product-programs.ts';
const known: ReadonlySet<string> = new Set(externalPrograms);
const ofProduct: ReadonlySet<string> = new Set(productPrograms.map(({ program }) => program));

/** Source files with what each starts and declares. */
export class ProgramTree {
  readonly #files: ReadonlyMap<string, SourceFile>;
  readonly #uses = new Map<string, ProgramUse>();

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  judge(): Finding[] {
    return [...this.#files.values()].flatMap((file) =>
      isProduct(file.path) ? this.#judgeProduct(file) : this.#judge(file),
    );
  }

  /** Packages of all programs that tests, or what they use, declare; those of benchmarks alone are not among them. */
  packages(): string[] {
    const paths = [...this.#files.keys()].filter((path) => isTestCode(path) || !path.startsWith('scripts/bench/'));
    const declared = new Set([...labPrograms, ...paths.flatMap((path) => [...this.#useOf(path).declared])]);
    return packagesFor(externalPrograms.filter((program) => declared.has(program)));
  }

  /** Test files that start or declare, or whose support does, a program that is not on every machine. */
  testFiles(): string[] {
    const tests = [...this.#files.keys()].filter((path) => path.endsWith('.test.ts'));
    return tests.filter((test) =>
      this.#withSupport(test).some((path) => {
        const { started, declared } = this.#useOf(path);
        return [...declared, ...started.map(({ program }) => program)].some((name) => isExtra(name));
      }),
    );
  }

  #judgeProduct({ path }: SourceFile): Finding[] {
    return this.#useOf(path)
      .started.filter(({ program }) => !ofProduct.has(program))
      .map(({ program, line }) => `${path}:${line}: starts "${program}", which ${productPath} does not name`);
  }

  #judge({ path }: SourceFile): Finding[] {
    const declared = this.#declaredFor(path);
    const here = this.#useOf(path).started.flatMap(({ program, line }) => {
      if (!known.has(program)) return [`${path}:${line}: starts "${program}", which ${tablePath} does not name`];
      return isExtra(program) && !declared.has(program) ? [`${path}:${line}: starts ${undeclared(program)}`] : [];
    });
    const support = path.endsWith('.test.ts') ? this.#withSupport(path).slice(1) : [];
    const there = support.flatMap((file) =>
      this.#useOf(file)
        .started.filter(({ program }) => isExtra(program) && !declared.has(program))
        .map(({ program, line }) => `${path}: starts, in ${file}:${line}, ${undeclared(program)}`),
    );
    return [...here, ...there];
  }

  /** Programs declared by a file or the index of its folder, and those of every lab where the file uses the lab. */
  #declaredFor(path: string): ReadonlySet<string> {
    const index = posix.join(posix.dirname(path), 'index.ts');
    const isInLab =
      path.startsWith('scripts/lab/') || this.#importsOf(path).some((target) => target.startsWith('scripts/lab/'));
    return new Set([
      ...this.#useOf(path).declared,
      ...(this.#files.has(index) ? this.#useOf(index).declared : []),
      ...(isInLab ? labPrograms : []),
    ]);
  }

  /** A file, and what it imports from folders `_support`, and they from one another. */
  #withSupport(path: string, seen = new Set<string>()): string[] {
    seen.add(path);
    for (const target of this.#importsOf(path))
      if (target.includes('/_support/') && !seen.has(target)) this.#withSupport(target, seen);
    return [...seen];
  }

  #importsOf(path: string): string[] {
    const file = this.#files.get(path);
    const imports = file === undefined ? [] : findImports(file);
    return imports.flatMap(({ target, isType }) =>
      target === null || isType || !this.#files.has(target) ? [] : [target],
    );
  }

  #useOf(path: string): ProgramUse {
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`no file "${path}"`);
    const use = this.#uses.get(path) ?? readProgramUse(file, known);
    this.#uses.set(path, use);
    return use;
  }
}

/** The code of the two programs, as opposed to what tests, shows and measures it. */
function isProduct(path: string): boolean {
  return !isTestCode(path) && !path.startsWith('scripts/');
}

/** True if the program is in the table and not present on every machine on which Vantage is installed. */
function isExtra(program: string): boolean {
  return known.has(program) && !isAlwaysThere(program as ExternalProgram);
}

function undeclared(program: string): string {
  return `"${program}" and does not declare it: missing('${program}') for a test's skip, demand('${program}') elsewhere`;
}
