import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { listProjectFiles } from './project-files.js';

// Written in pieces, so that this file does not find itself.
const anywhere = [['..', 'shared', ''].join('/'), ['', 'work', ''].join('/')];

/** Finds names of places that only the authors of the project have. */
export const words: Check = {
  name: 'words',
  title: 'no file names a place outside of the project',
  run: async (root) =>
    listProjectFiles(root).flatMap((path) => findWords(path, readFileSync(join(root, path), 'latin1'))),
};

/** Lines of a file that name what they must not. */
export function findWords(path: string, text: string): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const word = anywhere.find((candidate) => line.includes(candidate));
    return word === undefined ? [] : [`${path}:${index + 1}: names "${word}"`];
  });
}
