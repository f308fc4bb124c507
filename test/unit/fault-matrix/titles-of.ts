const QUOTES = new Set(["'", '"', '`']);

/**
 * The full titles of a test file as its runner would print them, `describe > it`, before any table is filled in. Read from
 * the source: nesting is the indentation of the formatter.
 */
export function titlesOf(source: string): string[] {
  const titles: string[] = [];
  const open: { indent: number; title: string }[] = [];
  for (const { index, 1: spaces = '', 2: kind } of source.matchAll(/^( *)(describe|it|test)(?=[.(])/gm)) {
    const title = titleAt(source, index + spaces.length + (kind?.length ?? 0));
    if (title === undefined) continue;
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= spaces.length) open.pop();
    const full = [...open.map((outer) => outer.title), title].join(' > ');
    if (kind === 'describe') open.push({ indent: spaces.length, title });
    else titles.push(full);
  }
  return titles;
}

/** Passes `.each(…)`, `.runIf(…)` and the like, up to the call whose first argument is the title. */
function titleAt(source: string, start: number): string | undefined {
  let at = start;
  for (;;) {
    const [skipped = ''] = /^\s*(?:\.\w+)*/.exec(source.slice(at, at + 200)) ?? [];
    at += skipped.length;
    if (source[at] === '<') at = source.indexOf('>(', at) + 1;
    if (source[at] !== '(') return undefined;
    const [, first = ''] = /^\(\s*([\s\S])/.exec(source.slice(at, at + 200)) ?? [];
    if (QUOTES.has(first)) return textAt(source, source.indexOf(first, at));
    at = behindCall(source, at);
  }
}

function textAt(source: string, quote: number): string {
  const end = behindText(source, quote);
  return source.slice(quote + 1, end - 1).replaceAll(/\\(.)/g, '$1');
}

function behindText(source: string, quote: number): number {
  let at = quote + 1;
  while (at < source.length && source[at] !== source[quote]) at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

function behindCall(source: string, opening: number): number {
  let depth = 0;
  for (let at = opening; at < source.length; ) {
    const char = source[at] ?? '';
    if (QUOTES.has(char)) {
      at = behindText(source, at);
      continue;
    }
    if (source.startsWith('//', at)) {
      at = source.indexOf('\n', at);
      continue;
    }
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return source.length;
}
