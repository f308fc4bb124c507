/** The editor of a mapping: YAML, problems at their lines, keys from the schema, columns from the sample. */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import mappingSchema from '../../../../mappings/mapping.schema.json';
import type { DocumentProblem } from '../../../mapping/document/problems.ts';
import { asYaml } from '../../pages/workbench/segments.ts';
import { keysAt, type Schema, valuesAt } from './schema-keys.ts';
import { cursorAt, ENTRY, type YamlStep } from './yaml-path.ts';

const SCHEMA = mappingSchema as Schema;

const COLOURS = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--accent)' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: tags.meta, color: 'var(--held)' },
]);

const LOOK = EditorView.theme({
  '&': {
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '3px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--tint-held)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    maxWidth: '420px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  // Its own are images in data addresses, which the page's policy refuses.
  '.cm-lint-marker': { fontWeight: '700', lineHeight: '1.2', textAlign: 'center' },
  '.cm-lint-marker-error, .cm-lint-marker-warning, .cm-lint-marker-info': { content: 'normal' },
  '.cm-lint-marker-error::before': { content: '"✗"', color: 'var(--bad)' },
  '.cm-lint-marker-warning::before': { content: '"!"', color: 'var(--wait)' },
  '.cm-lint-marker-info::before': { content: '"i"', color: 'var(--accent)' },
  '.cm-lintRange': { backgroundImage: 'none !important', textDecoration: 'underline wavy' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--wait)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-completionInfo': { padding: '6px 8px' },
});

interface Editor {
  text(): string;
  /** As one step of its history. Text that stays the same keeps its cursor. */
  replace(text: string): void;
  /** Where the person put the cursor. @returns false: nowhere yet, and nothing is written. */
  insert(text: string): boolean;
  /** @param from what is focused again when the editor is left with Escape. */
  goTo(line: number, from: HTMLElement): void;
  show(problems: readonly DocumentProblem[]): void;
  focus(): void;
}

interface EditorOptions {
  parent: HTMLElement;
  text: string;
  nonce: string;
  /** Names of columns of the sample. */
  columns(): readonly string[];
  changed(): void;
  /** Where Escape leads, if nothing led here. */
  exit: HTMLElement;
}

export function openEditor({ parent, text, nonce, columns, changed, exit }: EditorOptions): Editor {
  let cameFrom: HTMLElement | null = null;
  let isPlaced = false;
  const leave = (): boolean => {
    const isSeen = cameFrom?.isConnected === true && cameFrom.offsetParent !== null;
    (isSeen ? cameFrom : exit)?.focus();
    cameFrom = null;
    return true;
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        history(),
        yaml(),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        EditorView.lineWrapping,
        highlightActiveLine(),
        syntaxHighlighting(COLOURS),
        LOOK,
        lintGutter(),
        autocompletion({ override: [(context) => completions(context, columns())] }),
        // Tab leaves the editor, as everywhere, and Escape goes back to where one came from: nobody is caught in it.
        keymap.of([
          ...completionKeymap,
          ...lintKeymap,
          { key: 'Escape', run: leave },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({
          'aria-label': 'Mapping (YAML). Escape leaves the editor.',
          tabindex: '0',
        }),
        EditorView.updateListener.of(({ docChanged, transactions }) => {
          if (transactions.some((each) => each.isUserEvent('select') || each.isUserEvent('input'))) isPlaced = true;
          if (docChanged) changed();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(next) {
      const now = view.state.doc.toString();
      const change = changeBetween(now, next);
      if (change !== null) view.dispatch({ changes: change, scrollIntoView: true });
    },
    insert(piece) {
      if (!isPlaced) return false;
      view.dispatch(view.state.replaceSelection(piece));
      view.focus();
      return true;
    },
    goTo(number, from) {
      cameFrom = from;
      isPlaced = false; // a whole line is selected, which nobody wants replaced
      const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
      view.dispatch({
        selection: { anchor: line.from, head: line.to },
        effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
      });
      view.focus();
    },
    show(problems) {
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.flatMap((problem) => diagnostic(view.state, problem)),
        ),
      );
    },
    focus: () => view.focus(),
  };
}

/** From the first letter that differs to the last one. */
function changeBetween(now: string, next: string): { from: number; to: number; insert: string } | null {
  if (now === next) return null;
  let from = 0;
  while (from < now.length && from < next.length && now[from] === next[from]) from += 1;
  let end = 0;
  while (
    end < now.length - from &&
    end < next.length - from &&
    now[now.length - 1 - end] === next[next.length - 1 - end]
  )
    end += 1;
  return { from, to: now.length - end, insert: next.slice(from, next.length - end) };
}

function diagnostic(
  { doc }: EditorState,
  { line = 1, column = 1, path, message, wanted }: DocumentProblem,
): Diagnostic[] {
  if (line > doc.lines) return [];
  const at = doc.line(line);
  const from = Math.min(at.from + column - 1, at.to);
  return [
    {
      from,
      to: at.to,
      severity: path.startsWith('examples') ? 'warning' : 'error',
      message: `${message} Wanted: ${wanted}`,
    },
  ];
}

/** Keys whose values are names of columns. */
const READING = /^(?:from|field|firstOf|value|by|each|switch|zone|scac)$/;

function completions(context: CompletionContext, columns: readonly string[]): CompletionResult | null {
  const cursor = cursorAt(context.state.doc.toString(), context.pos);
  if (cursor === null) return null;
  const { path, key, beside, typed } = cursor;
  if (typed === '' && !context.explicit && key === null) return null;
  const from = context.pos - typed.length;
  if (key === null) {
    const keys = keysAt(SCHEMA, path).filter((each) => !beside.includes(each.key));
    return {
      from,
      options: keys.map((each) => ({ label: each.key, info: each.about, type: 'property', apply: `${each.key}: ` })),
    };
  }
  const inner: YamlStep[] = key === '' ? [...path, ENTRY] : [...path, key];
  const values = valuesAt(SCHEMA, inner).map((label) => ({ label, type: 'enum', boost: 1 }));
  const isReading = READING.test(key) || key === '' || (path.at(-1) === 'fields' && values.length === 0);
  const names = isReading
    ? columns.map((name) => ({ label: name, detail: 'column', type: 'variable', apply: asYaml(name) }))
    : [];
  const options = [...values, ...names];
  return options.length === 0 ? null : { from, options };
}
