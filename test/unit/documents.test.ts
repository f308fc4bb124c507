/** What documents point at is there: files, folders, headings, commands. And the ways in are short enough to be read. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';

const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')].map(
  (path) => [path.replaceAll('\\', '/'), readFileSync(path, 'utf8')] as const,
);
const textOf = (path: string): string => DOCUMENTS.find(([each]) => each === path)?.[1] ?? '';

it('names only commands that exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const used = DOCUMENTS.flatMap(([, text]) =>
    [...text.matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, name = '']) => name),
  );
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([]);
});

it('asks for the same Node everywhere: from the release on that the packed command needs', () => {
  const wanted = '^20.15.0 || >=22.2.0'; // crc32 of node:zlib
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: { '': { engines: { node: string } } };
  };
  expect([engines.node, lock.packages[''].engines.node]).toEqual([wanted, wanted]);
  const askedIn = ['README.md', 'CONTRIBUTING.md', 'docs/reference/command.md', 'scripts/build-command.ts', '.ci/run'];
  for (const path of askedIn) {
    const named = readFileSync(path, 'utf8').match(/\bNode \d[^()]*\([^)]*\)/g);
    expect(named, path).toEqual(['Node 22.2 or later (or 20.15 and later in version 20)']);
  }
});

/** Names of files in documents and comments, as they are written: bare, or with folders before them. */
const FILE_NAMED = /(?<![\w./@-])(?:[\w-]+\/)*[\w-]+\.tsx?\b/g;

it('no document and no comment of the source names a file that is not there', () => {
  const all = globSync('{src,test,scripts,mappings}/**/*.{ts,tsx}').map((path) => `/${path}`);
  const isThere = (name: string): boolean => all.some((path) => path.endsWith(`/${name}`));
  const comments = globSync('src/**/*.{ts,tsx}').map(
    (path) => [path, readFileSync(path, 'utf8').replace(/^import [^;]*;$/gm, '')] as const,
  );
  const named = [...DOCUMENTS, ...comments].flatMap(([path, text]) =>
    [...text.matchAll(FILE_NAMED)].map(([name]) => [path, name] as const),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([, name]) => !isThere(name)).map((each) => each.join(' names '))).toEqual([]);
});

/** In code marks, with a slash: below the root, or a room of the source. */
const FOLDER_NAMED = /`([a-z][\w-]*(?:\/[\w-]+)*\/?)`/g;
const ROOMS = globSync('src/*/').map((path) => posix.basename(path.replaceAll('\\', '/')));
const TOPS = ['src', 'test', 'scripts', 'docs', 'fixtures', 'mappings'];

it('no document of the code names a folder that is not there', () => {
  const isRoom = (name: string): boolean => ROOMS.includes(name.split('/')[0] ?? '');
  const isTop = (name: string): boolean => TOPS.includes(name.split('/')[0] ?? '');
  const named = DOCUMENTS.filter(([path]) => !/^docs\/(?:[^/]*|reference\/.*)$/.test(path)).flatMap(([path, text]) =>
    [...text.matchAll(FOLDER_NAMED)]
      .map(([, name = '']) => name)
      .filter((name) => name.includes('/') && (isTop(name) || isRoom(name)))
      .map((name) => [path, name] as const),
  );
  expect(named.length).toBeGreaterThan(20);
  const isThere = (name: string): boolean => existsSync(name) || existsSync(`src/${name}`);
  expect(named.filter(([, name]) => !isThere(name)).map((each) => each.join(' names '))).toEqual([]);
});

/** As a heading is linked: lower case, without punctuation, with dashes for blanks. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function isReached(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : posix.normalize(posix.join(posix.dirname(from), file));
  if (!existsSync(path)) return false;
  if (anchor === undefined) return true;
  return [...textOf(path).matchAll(/^#+ (.+)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor);
}

it('every link between documents leads somewhere', () => {
  const links = DOCUMENTS.flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => [path, link] as const),
  );
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter(([path, link]) => !isReached(path, link)).map((each) => each.join(' links '))).toEqual([]);
});

it('no document sets a lock rule on the bucket, whose files the bridge deletes and writes again', () => {
  expect(DOCUMENTS.filter(([, text]) => /r2 bucket lock (?:add|set)/.test(text)).map(([path]) => path)).toEqual([]);
});

it.each([
  ['README.md', 150],
  ['ARCHITECTURE.md', 250],
  ['docs/glossary.md', 60],
])('%s has at most %d lines', (path, most) => {
  expect(textOf(path).trimEnd().split('\n').length).toBeLessThanOrEqual(most);
});
