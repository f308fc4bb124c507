import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NotRun } from '../../../scripts/frame/command.ts';
import { Interrupted, type Surroundings } from '../../../scripts/transload/surroundings.ts';
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

describe('a question on a terminal', () => {
  it('for a secret shows nothing of it, however soon it is typed once the question stands there', async () => {
    const { input, shown, text, surroundings } = terminal();
    const answer = askSecret(surroundings, 'Your key: ');
    expect(shown).toEqual([{ text: 'Your key: ', isTypingShown: false }]);
    input.write(`secret${ENTER}`);
    expect(await answer).toBe('secret');
    expect(input.isRaw).toBe(false);
    expect(text()).toBe('Your key: \n');
  });

  it('for anything else shows what is typed, and gives it without the blanks around it', async () => {
    const { input, text, surroundings } = terminal();
    const answer = ask(surroundings, 'Address: ');
    input.write(` here ${ENTER}`);
    expect(await answer).toBe('here');
    expect(input.isRaw).toBe(false);
    expect(text()).toContain('here');
  });

  it.each([
    ['for a secret', 'Ctrl-C', askSecret, CTRL_C, Interrupted],
    ['for a secret', 'Ctrl-D', askSecret, CTRL_D, NotRun],
    ['for anything else', 'Ctrl-C', ask, CTRL_C, Interrupted],
    ['for anything else', 'Ctrl-D', ask, CTRL_D, NotRun],
  ])('%s ends with %s, and the terminal is as it was', async (_what, _key, asks, typed, thrown) => {
    const { input, surroundings } = terminal();
    const answer = asks(surroundings, 'Your key: ');
    input.write(typed);
    await expect(answer).rejects.toThrow(thrown);
    expect(input.isRaw).toBe(false);
  });
});
