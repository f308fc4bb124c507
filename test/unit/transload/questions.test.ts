import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NotRun } from '../../../scripts/frame/command.ts';
import type { Surroundings } from '../../../scripts/transload/surroundings.ts';
import { ask, askSecret } from '../../../scripts/transload/terminal.ts';

const ENTER = '\r';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** A terminal: whether it shows what is typed by itself, and what it was given to show, with that. */
function terminal() {
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      input.isRaw = isRaw;
    },
  });
  const shown: { text: string; isTypingShown: boolean }[] = [];
  const errors = new Writable({
    write(chunk, _encoding, done) {
      shown.push({ text: String(chunk), isTypingShown: !input.isRaw });
      done();
    },
  });
  const text = () => shown.map((part) => part.text).join('');
  return { input, shown, text, surroundings: { input, errors } as unknown as Surroundings };
}

describe('a secret that is asked for', () => {
  it('is not shown, however soon it is typed once the question stands there', async () => {
    const { input, shown, text, surroundings } = terminal();
    const answer = askSecret(surroundings, 'Your key: ');
    expect(shown).toEqual([{ text: 'Your key: ', isTypingShown: false }]);
    input.write(`secret${ENTER}`);
    expect(await answer).toBe('secret');
    expect(text()).toBe('Your key: \n');
  });

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('ends with %s', async (_, typed) => {
    const { input, surroundings } = terminal();
    const answer = askSecret(surroundings, 'Your key: ');
    input.write(typed);
    await expect(answer).rejects.toThrow(new NotRun('Nothing was answered.'));
    expect(input.isRaw).toBe(false);
  });
});

describe('a question', () => {
  it('shows what is typed, and gives it without the blanks around it', async () => {
    const { input, text, surroundings } = terminal();
    const answer = ask(surroundings, 'Address: ');
    input.write(` here ${ENTER}`);
    expect(await answer).toBe('here');
    expect(text()).toContain('here');
  });

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('ends with %s', async (_, typed) => {
    const { input, surroundings } = terminal();
    const answer = ask(surroundings, 'Address: ');
    input.write(typed);
    await expect(answer).rejects.toThrow(new NotRun('Nothing was answered.'));
  });
});
