/**
 * Compiles a pattern of a mapping document into a function that captures one group of it from a text.
 *
 * The engine is RE2's: no back-references and no look-around, and in return time in proportion to the text, whatever the
 * pattern. JavaScript's own expressions would let one document, or one cell, stop the whole Worker.
 */
import { RE2JS } from 're2js';
import { err, ok, type Result } from '../../kernel/result.ts';

/** Longest pattern, in characters. Ours: several times the longest one met. */
export const CAPTURE_PATTERN_CHARACTERS_MAX = 200;
/** Longest text searched, in characters; longer ones match nothing. The text between two functions has the same bound. */
export const CAPTURE_TEXT_CHARACTERS_MAX = 4_096;
/**
 * Largest compiled pattern, in instructions of the engine: repetitions multiply, so that 200 characters can ask for 25,000.
 * Every letter of a pattern is one, every digit of \d{10} is one. Time is this times the text: some 30 ms at both limits.
 */
export const CAPTURE_INSTRUCTIONS_MAX = 256;

export type Capture = (text: string) => string | undefined;

/**
 * @param group counted from 1; 0 is the whole match.
 * @returns a function that never throws and gives undefined where nothing matches or the group took no part in the match;
 * or what is wrong with the pattern, as part of a sentence.
 */
export function compileCapture(pattern: string, group: number): Result<Capture, string> {
  if (pattern === '') return err('the pattern is empty');
  if (pattern.length > CAPTURE_PATTERN_CHARACTERS_MAX) {
    return err(`the pattern has ${pattern.length} characters, at most ${CAPTURE_PATTERN_CHARACTERS_MAX} are allowed`);
  }
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return compiled;
  const expression = compiled.value;
  const instructions = expression.programSize();
  if (instructions > CAPTURE_INSTRUCTIONS_MAX) {
    return err(
      `the pattern is too costly: with its repetitions it has ${instructions} steps, at most ${CAPTURE_INSTRUCTIONS_MAX} are allowed`,
    );
  }
  if (!Number.isInteger(group) || group < 0 || group > expression.groupCount()) {
    return err(`the pattern has no group ${group}, only ${expression.groupCount()} in parentheses`);
  }
  return ok((text) => {
    if (text.length > CAPTURE_TEXT_CHARACTERS_MAX) return undefined;
    const matcher = expression.matcher(text);
    return matcher.find() ? (matcher.group(group) ?? undefined) : undefined;
  });
}

/** The engine's own words, without its opening: "missing closing ): `(a`". */
function compilePattern(pattern: string): Result<RE2JS, string> {
  try {
    return ok(RE2JS.compile(pattern));
  } catch (error) {
    return err((error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, ''));
  }
}
