/** `mapping new`: a mapping made from a sample, on this machine. */
import type { Command } from 'commander';
import { type Definitions, examples, withJson } from '../definitions.ts';
import type { Surroundings } from '../surroundings.ts';
import type { NewMappingOptions } from './suggest.ts';

const several = (text: string, before: readonly string[]): string[] => [...before, text];

export function addNewMapping(mapping: Command, { run }: Definitions): void {
  const made = withJson(mapping.command('new'), 'print all that was found as JSON, with reasons')
    .summary('a mapping made from a sample; nothing is sent')
    .description(
      'Reads a sample and writes a mapping for it, with an example made from its first rows. What the file does not decide, such as whether 03/04 is in March, is asked; without a terminal the questions are listed, and --answer answers them. Needs no bridge. Exit code 1: something is still open.',
    )
    .argument('<sample>', 'a file as it will be sent; - is standard input')
    .option('-o, --output <path>', 'into a file, its code lists into code-lists/ beside it; else to standard output')
    .option('--answer <id=choice>', 'the answer to a question; may be given several times', several, [])
    .option('--force', 'write over files that are there')
    .action(
      run(async (surroundings: Surroundings, sample: string, options: NewMappingOptions) =>
        (await import('./suggest.ts')).newMapping(surroundings, sample, options),
      ),
    );
  examples(made, [
    ['transload mapping new events.csv -o acme-status.yaml', 'asks what is open'],
    ['transload mapping new events.csv --answer zone=Europe/Berlin -o acme-status.yaml', ''],
    ['transload check acme-status.yaml', 'then: is it right?'],
  ]);
}
