/** Small parts that all pages share: state, time, id, note, facts, empty, problem. */
import type { Child, FC } from 'hono/jsx';
import type { Tone } from '../../delivery/messages.ts';
import { problemAddress } from '../../http/edge/reader.ts';

/** How a state looks: a word, a colour and a shape, so that colour alone never tells. */
export type Look = 'good' | 'bad' | 'wait' | 'held' | 'done';

const SHAPES: Record<Look, string> = { good: '✓', bad: '✗', wait: '◔', held: '■', done: '–' };

export const shapeOf = (look: Look): string => SHAPES[look];

/** @param isHeld a person must decide. */
export const lookOf = (tone: Tone, isHeld = false): Look => {
  if (isHeld) return 'held';
  const looks: Record<Tone, Look> = { good: 'good', busy: 'wait', attention: 'wait', bad: 'bad', quiet: 'done' };
  return looks[tone];
};

export const State: FC<{ look: Look; title?: string; live?: string; children?: Child }> = ({
  look,
  title,
  live,
  children,
}) => (
  <span class={`state ${look}`} data-shape={SHAPES[look]} title={title} data-live={live}>
    {children}
  </span>
);

export const Note: FC<{ look?: Look; children?: Child }> = ({ look, children }) => (
  <div class={`note ${look ?? ''}`}>{children}</div>
);

export const Facts: FC<{ children?: Child }> = ({ children }) => <dl class="facts">{children}</dl>;

/** @param isWide it is a list of names. */
export const Fact: FC<{ name: string; isWide?: boolean; children?: Child }> = ({ name, isWide = false, children }) => (
  <div class={isWide ? 'wide' : ''}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** What to do where a list has no entry yet. */
export const Empty: FC<{ children?: Child }> = ({ children }) => <div class="empty">{children}</div>;

/** Dates, times and codes with marks in them: `2026-11-25`, `LD-100-2`, `08:15:00`. */
const MARKED = /([\p{L}\d]+(?:[-/:][\p{L}\d]+)+)/u;
/** Characters of one that is kept whole. Ours: what is longer must break on a phone. */
const UNBROKEN_MAX = 20;

/** A text in which dates and codes stay whole: a browser breaks them at their hyphens. */
export const Unbroken: FC<{ text: string }> = ({ text }) => (
  <>
    {text
      .split(MARKED)
      .map((part, at) => (at % 2 === 1 && part.length <= UNBROKEN_MAX ? <span class="unbroken">{part}</span> : part))}
  </>
);

export const inText = (count: number): string => count.toLocaleString('en-US');

/** e.g. `1 row`, `3 rows` */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${inText(count)} ${count === 1 ? one : many}`;

const SECOND = 1_000;
const STEPS: readonly (readonly [number, number, string])[] = [
  [60 * SECOND, SECOND, 's'],
  [3_600 * SECOND, 60 * SECOND, 'min'],
  [48 * 3_600 * SECOND, 3_600 * SECOND, 'h'],
];

/** `3 min ago`, `in 5 min`; days beyond two. Pure. */
function relative(atMs: number, nowMs: number): string {
  const apart = Math.abs(nowMs - atMs);
  if (apart < 2 * SECOND) return 'now';
  const step = STEPS.find(([below]) => apart < below);
  const text =
    step === undefined
      ? `${Math.floor(apart / (24 * 3_600 * SECOND))} days`
      : `${Math.floor(apart / step[1])} ${step[2]}`;
  return atMs <= nowMs ? `${text} ago` : `in ${text}`;
}

/** `2026-03-02T08:00:59.123Z` → `2026-03-02 08:00:59 UTC` */
export const exactTime = (text: string): string => text.replace('T', ' ').replace(/\.\d+/, ' ').replace(/ ?Z$/, ' UTC');

/** Relative, with the exact time on hover; the script turns that into the reader's own zone. null: never. */
export const Time: FC<{ at: string | null; isExact?: boolean }> = ({ at, isExact = false }) =>
  at === null ? (
    <span class="quiet">never</span>
  ) : (
    <time datetime={at} title={exactTime(at)}>
      {isExact ? exactTime(at) : relative(Date.parse(at), Date.now())}
    </time>
  );

/** Shortened in the middle, with a button that copies the whole. */
export const Id: FC<{ id: string; href?: string }> = ({ id, href }) => {
  const shown = id.length > 16 ? `${id.slice(0, 7)}…${id.slice(-6)}` : id;
  return (
    <span class="id" title={id}>
      {href === undefined ? shown : <a href={href}>{shown}</a>}
      <button type="button" class="copy" data-copy={id} hidden aria-label={`Copy ${id}`}>
        copy
      </button>
    </span>
  );
};

export function bytesText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** `$0.31`; less than a cent is said as such. */
export const dollarsText = (dollars: number): string =>
  dollars === 0 || dollars >= 0.01 ? `$${dollars.toFixed(2)}` : '< $0.01';

/** Of `Page`, what is shown here: the parts are also drawn in the browser, which knows no session and no API. */
interface Addresses {
  at(path: string, parameters?: Readonly<Record<string, string | number | boolean | undefined>>): string;
  query(name: string): string;
}

export const CsrfField: FC<{ page: { session: { csrf: string } } }> = ({ page }) => (
  <input type="hidden" name="csrf" value={page.session.csrf} />
);

/** @param links where to go on from here. */
export const ProblemBody: FC<{
  problem: { title: string; detail: string; code: string; fix?: string | undefined; requestId?: string | undefined };
  links: readonly { href: string; label: string }[];
}> = ({ problem: { title, detail, fix, code, requestId }, links }) => (
  <>
    <h1>{title}</h1>
    <p>{detail}</p>
    {fix === undefined ? null : <Note look="wait">{fix}</Note>}
    <p class="actions">
      {links.map(({ href, label }) => (
        <a class="button" href={href}>
          {label}
        </a>
      ))}
    </p>
    <p class="quiet">
      <a href={problemAddress(code)}>
        <code>{code}</code>
      </a>{' '}
      · Request {requestId}
    </p>
  </>
);

/** Forth through a list of the API, and back to its beginning. @param next cursor of the next page; null: this is the last. */
export const CursorPager: FC<{
  page: Addresses;
  path: string;
  /** Parameters that stay, such as filters. */
  filters?: Readonly<Record<string, string | number | boolean | undefined>>;
  next: string | null;
  /** Of the parameter with the cursor. */
  name?: string;
  nextLabel?: string;
}> = ({ page, path, filters = {}, next, name = 'cursor', nextLabel = 'Show the next' }) => (
  <Pager
    first={page.query(name) === '' ? null : page.at(path, filters)}
    next={next === null ? null : page.at(path, { ...filters, [name]: next })}
    nextLabel={nextLabel}
  />
);

/** A link back and forth through a list. null: there is no such page. */
export const Pager: FC<{
  first: string | null;
  previous?: string | null;
  next: string | null;
  previousLabel?: string;
  nextLabel?: string;
  /** Which of the list are shown, in words. */
  shown?: string;
}> = ({
  first,
  previous = null,
  next,
  previousLabel = 'Show the previous',
  nextLabel = 'Show the next',
  shown = '',
}) =>
  first === null && next === null && previous === null ? null : (
    <nav class="pager" aria-label="Pages of the list">
      {first === null ? null : (
        <a class="button" href={first}>
          Show the first
        </a>
      )}
      {previous === null ? null : (
        <a class="button" href={previous} rel="prev">
          {previousLabel}
        </a>
      )}
      {next === null ? null : (
        <a class="button" href={next} rel="next">
          {nextLabel}
        </a>
      )}
      {shown === '' ? null : <span class="quiet">{shown}</span>}
    </nav>
  );
