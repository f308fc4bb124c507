/** The sentences a person reads when a file holds no interchange at all. Pure. */
import { type Problem, quoteValue } from '../../kernel/problem.ts';
import { LOOK_WORDS } from '../magic.ts';
import type { X12FileProblem } from './problems.ts';

type Words = Pick<Problem, 'path' | 'value' | 'message' | 'fix'>;

export function describeX12FileProblem(problem: X12FileProblem): Problem {
  const words = fileWords(problem);
  return { code: problem.code, ...words, value: quoteValue(words.value) };
}

function fileWords(problem: X12FileProblem): Words {
  switch (problem.code) {
    case 'empty_file':
      return {
        path: '',
        value: `${problem.bytes} bytes`,
        message: 'The file is empty: it holds no interchange.',
        fix: 'Check the export and send the file again.',
      };
    case 'not_x12':
      return {
        path: '',
        value: problem.looksLike,
        message: `The file is not X12. It looks like ${LOOK_WORDS[problem.looksLike]}.`,
        fix: 'Send an X12 interchange, or choose a mapping made for this kind of file.',
      };
    case 'encoding_disagrees':
      return {
        path: '',
        value: problem.hex,
        message: `X12 has one byte for each character of its envelope, but the file has NUL bytes, as UTF-16 has them; the first is at byte ${problem.byte}.`,
        fix: 'Export the file as UTF-8 or in an encoding of single bytes.',
      };
    case 'no_interchange':
      return {
        path: 'ISA',
        value: problem.text,
        message: `An interchange begins with ISA; in line ${problem.line}, at byte ${problem.byte} of the file, something else stands and no ISA follows.`,
        fix: 'Send the file with its ISA and GS segments, each once, before the first ST.',
      };
  }
}
