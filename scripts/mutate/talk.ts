/** What the runner of the tests and `npm run mutate` say to each other. */

export interface Live {
  id: number;
  /** After so long the test counts as failed. */
  limitMs: number;
  /** A test that reaches none of these does not notice the mutant: itself, or functions that see its constant. */
  seenBy: number[];
}

export interface Answers {
  /** Null: all of the file's tests, without mutants, to see what each reaches. */
  plan: { tests: string[] | null };
  live: { live: Live[] };
  coverage: Record<string, never>;
  begin: Record<string, never>;
  done: Record<string, never>;
  step: Record<string, never>;
}

export interface Covered {
  file: string;
  test: string;
  name: string;
  ms: number;
  reached: number[];
  failed: string | null;
}

export interface Begun {
  test: string;
  id: number;
}

export interface Step {
  file: string;
  test: string;
  name: string;
  /** The mutant that is looked at, in the turn with it and in the one after it. */
  id: number;
  turn: 'before' | 'mutant' | 'after';
  ms: number;
  failed: string | null;
  /** In the turn after a mutant: with it the test did not end in time. */
  isLate: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    mutation: { url: string; size: number };
  }
}
