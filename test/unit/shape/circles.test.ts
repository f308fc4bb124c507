/** The shape of the source is told from its imports alone. */
import { expect, it } from 'vitest';
import { circlesOf, importsOf } from '../../../scripts/shape/circles.ts';
import { shapesOfRequest } from '../../../scripts/shape/shapes.ts';

const texts = new Map([
  ['src/a/one.ts', "import { two } from './two.ts';\nimport type { Three } from '../b/three.ts';"],
  ['src/a/two.ts', "import { z } from 'zod';\nconst { four } = await import('../b/four.ts');"],
  ['src/b/three.ts', "import './four.ts';"],
  ['src/b/four.ts', "export { one } from '../a/one.ts';\nimport { gone } from './gone.ts';"],
  ['src/b/five.ts', "import { four } from './four.ts';"],
]);

it('an import counts whether it is for types, for effect, dynamic or passed on; packages and files that are not there do not', () => {
  expect(Object.fromEntries([...importsOf(texts)].map(([path, targets]) => [path, [...targets].sort()]))).toEqual({
    'src/a/one.ts': ['src/a/two.ts', 'src/b/three.ts'],
    'src/a/two.ts': ['src/b/four.ts'],
    'src/b/three.ts': ['src/b/four.ts'],
    'src/b/four.ts': ['src/a/one.ts'],
    'src/b/five.ts': ['src/b/four.ts'],
  });
});

it('files that lead to each other are one circle, and who leads into it is none of it', () => {
  expect(circlesOf(importsOf(texts))).toEqual([
    { files: ['src/a/one.ts', 'src/a/two.ts', 'src/b/four.ts', 'src/b/three.ts'] },
  ]);
});

it('a type with four members of a request is a shape of it, wherever it is declared', () => {
  const shape = (members: string) =>
    `/** A. */\nexport interface Seen {\n${members}}\n\ninterface Other {\n  kind: string;\n}\n`;
  const four = '  readonly kind: string;\n  /** Whose. */\n  subject: string;\n  state?: string;\n  body: string;\n';
  expect(shapesOfRequest(new Map([['src/batch/a.ts', shape(four)]]))).toEqual(['Seen']);
  expect(shapesOfRequest(new Map([['src/batch/a.ts', shape(four.replace('subject', 'name'))]]))).toEqual([]);
  expect(shapesOfRequest(new Map([['src/sandbox/a.ts', shape(four)]]))).toEqual([]);
});
