/**
 * `npm run shape`: how the source is cut. Files and lines, folders that hold many files, circles of imports, and the roads of a
 * row: which files a person must read to follow it.
 *
 * A road is walked, not guessed: its functions run here, and a file is on the road when one of its functions did.
 */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Circle, circlesOf, importsOf } from './shape/circles.ts';
import { ROADS, type Road } from './shape/roads.ts';
import { shapesOfRequest } from './shape/shapes.ts';

const FOLDER_FILES = 20;

const sources = globSync('src/**/*.{ts,tsx}')
  .map((path) => path.replaceAll('\\', '/'))
  .sort();
const texts = new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]));
const linesOf = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + readFileSync(path, 'utf8').trimEnd().split('\n').length, 0);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const scripts = globSync('scripts/**/*.ts');
const sizes = sources.map((path) => linesOf([path])).sort((one, other) => one - other);
say(`src: ${sources.length} files, ${linesOf(sources)} lines, half of the files below ${sizes[sizes.length >> 1]}`);
say(`scripts: ${scripts.length} files, ${linesOf(scripts)} lines`);

const folders = Map.groupBy(sources, (path) => posix.dirname(path));
say(`\nfolders with more than ${FOLDER_FILES} files side by side`);
for (const [folder, files] of [...folders].sort(([, one], [, other]) => other.length - one.length)) {
  if (files.length > FOLDER_FILES) say(`  ${files.length}  ${folder}`);
}

const single = importedOnce(importsOf(texts));
say(`\nfiles with one importer: ${single}`);

const circles = circlesOf(importsOf(texts));
const isBetween = ({ files }: Circle): boolean => new Set(files.map((path) => posix.dirname(path))).size > 1;
say(`\ncircles of imports: ${circles.length}, of them between folders ${circles.filter(isBetween).length}`);
for (const circle of circles)
  say(`  ${circle.files.length}${isBetween(circle) ? ' between folders' : ''}: ${circle.files.join(' ')}`);

say('\nroads');
for (const road of ROADS) await walk(road);
const shapes = shapesOfRequest(texts);
say(`\nshapes of a request: ${shapes.length}`);
say(`  ${shapes.join(', ')}`);

async function walk({ name, run }: Road): Promise<void> {
  const files = await run();
  say(`  ${name}: ${files.length} files`);
  for (const [folder, inFolder] of Map.groupBy(files, (path) => posix.dirname(path)))
    say(`    ${inFolder.length}  ${folder}: ${inFolder.map((path) => posix.basename(path)).join(' ')}`);
}

function importedOnce(imports: ReadonlyMap<string, ReadonlySet<string>>): number {
  const importers = new Map<string, number>();
  for (const targets of imports.values())
    for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1);
  return [...importers.values()].filter((count) => count === 1).length;
}
