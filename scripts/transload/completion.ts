/** Completion for shells, made from the commands' own definitions. */
import { Argument, type Command } from 'commander';
import { type Definitions, examples, pathOf } from './definitions.ts';
import { EXIT_CODES, type Surroundings } from './surroundings.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletion({ program, run }: Definitions): void {
  const command = program
    .command('completion')
    .summary('completion for your shell')
    .description('Prints what your shell needs to complete commands and options.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(
      run(async ({ output }: Surroundings, shell: Shell) => {
        output.write(SCRIPTS[shell](wordsBelow(program)));
        return EXIT_CODES.done.code;
      }),
    );
  examples(command, [
    ['source <(transload completion bash)', 'in ~/.bashrc'],
    ['source <(transload completion zsh)', 'in ~/.zshrc'],
    ['transload completion fish > ~/.config/fish/completions/transload.fish', ''],
  ]);
}

/** @property path e.g. `mapping list`, '' for the program itself. @property words what may follow. */
interface Words {
  path: string;
  words: readonly string[];
}

function wordsBelow(command: Command): Words[] {
  const names = command.commands.map((each) => each.name());
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  const path = pathOf(command).split(' ').slice(1).join(' ');
  return [{ path, words: [...names, ...options, '--help'] }, ...command.commands.flatMap(wordsBelow)];
}

const cases = (all: readonly Words[]): string =>
  all.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n');

/** Files are completed where a word is no option and the command has no commands below it. */
const SCRIPTS: Record<Shell, (all: readonly Words[]) => string> = {
  bash: (all) => `_transload() {
  local path='' word words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case " ${all
      .map(({ path }) => path)
      .filter(Boolean)
      .map((path) => `/${path}/`)
      .join(' ')} " in
      *" /\${path:+$path }$word/ "*) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  local IFS=$'\\n'
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _transload transload
`,
  zsh: (all) => `autoload -U +X bashcompinit && bashcompinit
${SCRIPTS.bash(all)}`,
  fish: (all) =>
    all
      .flatMap(({ path, words }) => {
        const seen = path.split(' ').filter(Boolean);
        const when =
          seen.length === 0
            ? '__fish_use_subcommand'
            : seen.map((each) => `__fish_seen_subcommand_from ${each}`).join('; and ');
        return words.map((word) =>
          word.startsWith('--')
            ? `complete -c transload -n '${when}' -l ${word.slice(2)}`
            : `complete -c transload -n '${when}' -a ${word}`,
        );
      })
      .join('\n') + '\n',
};
