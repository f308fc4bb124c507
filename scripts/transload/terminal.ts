/** How a command shows itself: colours where they are wanted, a line that is written over, tables, questions. */
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { columns, NotRun, visible } from '../frame/command.ts';
import { Interrupted, type Surroundings, type TerminalOrNot } from './surroundings.ts';

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  attention(text: string): string;
}

const CODES: Record<keyof Paint, readonly [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  attention: [33, 39],
};

/** Colours on a terminal alone, and nowhere where NO_COLOR is set (no-color.org). */
const hasColours = (stream: { isTTY?: boolean | undefined }, environment: Surroundings['environment']): boolean =>
  stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';

export function paintFor(stream: { isTTY?: boolean | undefined }, environment: Surroundings['environment']): Paint {
  const isOn = hasColours(stream, environment);
  const painted =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      isOn ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: painted(CODES.bold),
    dim: painted(CODES.dim),
    good: painted(CODES.good),
    bad: painted(CODES.bad),
    attention: painted(CODES.attention),
  };
}

/** A heading and its rows, each a line. Cells come from files and from other systems: nothing in them steers the terminal. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const [head = '', ...lines] = columns([heading, ...rows.map((row) => row.map(visible))]);
  return [paint.bold(head), ...lines].map((line) => `${line}\n`).join('');
}

const BAR_CHARACTERS = 24;
/** How often a line is written over, in ms: often enough to move, seldom enough not to flicker. */
const LIVE_MS = 100;

/** @param part from 0 to 1. */
export function bar(part: number): string {
  const full = Math.round(Math.min(1, Math.max(0, part)) * BAR_CHARACTERS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CHARACTERS - full)} ${String(Math.floor(part * 100)).padStart(3)} %`;
}

/** One line on a terminal that is written over; silent anywhere else. */
export class LiveLine {
  readonly #stream: TerminalOrNot;
  #shownMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(stream: TerminalOrNot) {
    this.#stream = stream;
  }

  show(text: string, nowMs = performance.now()): void {
    if (this.#stream.isTTY !== true || nowMs - this.#shownMs < LIVE_MS) return;
    this.#shownMs = nowMs;
    this.#isShown = true;
    this.#stream.write(`\r\x1b[K${visible(text).slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }

  clear(): void {
    if (this.#isShown) this.#stream.write('\r\x1b[K');
    this.#isShown = false;
    this.#shownMs = Number.NEGATIVE_INFINITY;
  }
}

interface Choice {
  id: string;
  label: string;
}

/** Whether somebody sits there who can be asked. */
export const canAsk = ({ input, errors }: Surroundings): boolean => input.isTTY === true && errors.isTTY === true;

/** @throws NotRun where the answer never comes, Interrupted at Ctrl-C. */
export function ask({ input, errors }: Surroundings, question: string): Promise<string> {
  return answered(createInterface({ input, output: errors, terminal: true }), question);
}

/** What is typed is not shown, from before the question is. @throws as `ask` does. */
export async function askSecret({ input, errors }: Surroundings, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  errors.write(question);
  try {
    return await answered(lines, '');
  } finally {
    errors.write('\n');
  }
}

async function answered(lines: Interface, question: string): Promise<string> {
  const closed = new Promise<never>((_, fail) => {
    lines.once('close', () => fail(new NotRun('Nothing was answered.')));
    lines.once('SIGINT', () => fail(new Interrupted('Nothing was answered.')));
  });
  try {
    return (await Promise.race([lines.question(question), closed])).trim();
  } finally {
    lines.close();
  }
}

/** Asks until one of the choices is named, by its number or its id. @param hasUsual whether Enter takes the first. */
export async function choose(
  surroundings: Surroundings,
  question: string,
  choices: readonly Choice[],
  hasUsual = true,
): Promise<string> {
  const shown = choices.map(({ label }, at) => `  ${at + 1}) ${visible(label)}\n`).join('');
  surroundings.errors.write(`${visible(question)}\n${shown}`);
  for (;;) {
    const answer = await ask(surroundings, hasUsual ? 'Number [1]: ' : 'Number: ');
    const chosen =
      answer === '' && hasUsual ? choices[0] : (choices[Number(answer) - 1] ?? choices.find(({ id }) => id === answer));
    if (chosen !== undefined) return chosen.id;
    surroundings.errors.write(`"${visible(answer)}" is none of them.\n`);
  }
}

/** Everything that arrives at a stream, as text. */
export async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
