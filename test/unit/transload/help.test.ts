/** The help of every command, on a terminal of 80 columns. */
import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { examplesOf } from '../../../scripts/transload/definitions.ts';
import { transload as programOf, runTransload } from '../../../scripts/transload/program.ts';
import type { Surroundings } from '../../../scripts/transload/surroundings.ts';

const COLUMNS = 80;

function terminal(): { surroundings: Surroundings; shown: () => string } {
  let text = '';
  const stream = () =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          text += String(chunk);
          done();
        },
      }),
      { isTTY: true, columns: COLUMNS },
    );
  const { signal } = new AbortController();
  const surroundings: Surroundings = {
    environment: {},
    fetch: () => Promise.reject(new Error('help asks nobody')),
    input: Readable.from([]),
    output: stream(),
    errors: stream(),
    interrupted: () => signal,
    pause: () => Promise.reject(new Error('help waits for nothing')),
  };
  return { surroundings, shown: () => text };
}

const below = (command: Command, path: string[] = []): { path: string[]; command: Command }[] => [
  { path, command },
  ...command.commands.flatMap((each) => below(each, [...path, each.name()])),
];
const all = below(programOf(terminal().surroundings, () => undefined));

it('there are commands', () => expect(all.length).toBeGreaterThan(25));

it.each(all.map(({ path, command }) => [path.join(' ') || 'transload', path, command] as const))(
  '%s says what it does, takes and shows, in lines that a terminal does not break',
  async (_, path, command) => {
    const { surroundings, shown } = terminal();
    expect(await runTransload([...path, '--help'], surroundings)).toBe(0);
    const text = shown();
    expect(text).toMatch(/^Usage: transload/);
    expect(command.description(), 'a sentence').toMatch(/^[A-Z].*[.;]$/);
    // an example stays on one line, to be copied
    const tooLong = text.split('\n').filter((line) => line.length > COLUMNS && !line.startsWith('  $ '));
    expect(tooLong).toEqual([]);
    for (const [example] of examplesOf(command)) expect(example).toMatch(/\btransload |^npm run key /);
  },
);
