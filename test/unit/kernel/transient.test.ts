import { describe, expect, it } from 'vitest';
import { isTransient } from '../../../src/kernel/result.ts';

const marked = (marks: object, message = 'Network connection lost.'): Error => Object.assign(new Error(message), marks);

describe('trouble of the platform that passes', () => {
  it.each([
    ['a connection that broke', marked({ retryable: true })],
    ['one that broke between two objects', marked({ remote: true, retryable: true })],
    ['an object with too much to do', marked({ overloaded: true }, 'Durable Object is overloaded.')],
    ['an object that was reset', marked({ durableObjectReset: true }, 'planned')],
    ['a failure that the platform does not explain', new Error('internal error; reference = 0a1b2c3d')],
    ['the same without its number', new Error('internal error')],
  ])('is %s', (_, thrown) => expect(isTransient(thrown)).toBe(true));
});

describe('a bug of the program', () => {
  it.each([
    ['an error', new Error('Network is unreachable')],
    ['an error inside of an object', marked({ remote: true }, 'a bug')],
    ['an error that says it cannot be tried again', marked({ retryable: false })],
    ['a mark that is no mark', marked({ retryable: 'yes' })],
    ['a text that only begins alike', new Error('internal error in the mapping')],
    ['a marked object that is no error', { message: 'x', retryable: true }],
    ['nothing', undefined],
  ])('is %s', (_, thrown) => expect(isTransient(thrown)).toBe(false));
});
