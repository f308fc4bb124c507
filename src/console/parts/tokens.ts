/**
 * Colour, space, type and radius of every page, in light and dark. Nothing else names a colour.
 * Contrast: text on its ground at least 4.5, the focus ring at least 3 (held by a test).
 */

type Token =
  | 'ground'
  | 'paper'
  | 'sunken'
  | 'ink'
  | 'quiet'
  | 'line'
  | 'accent'
  | 'onAccent'
  | 'good'
  | 'bad'
  | 'wait'
  | 'held'
  | 'done'
  | 'tintGood'
  | 'tintBad'
  | 'tintWait'
  | 'tintHeld'
  | 'focus';

const LIGHT: Record<Token, string> = {
  ground: '#f5f6f8',
  paper: '#ffffff',
  sunken: '#eceff3',
  ink: '#18202d',
  quiet: '#525d6e',
  line: '#d8dee6',
  accent: '#1b5aa6',
  onAccent: '#ffffff',
  good: '#17663a',
  bad: '#a3232c',
  wait: '#805300',
  held: '#6636a0',
  done: '#525d6e',
  tintGood: '#e6f3ea',
  tintBad: '#fbe9ea',
  tintWait: '#fbf1dc',
  tintHeld: '#f0e9f8',
  focus: '#1b5aa6',
};

const DARK: Record<Token, string> = {
  ground: '#11151b',
  paper: '#191f28',
  sunken: '#232b36',
  ink: '#e7ebf1',
  quiet: '#a7b1bf',
  line: '#333d4b',
  accent: '#83b6f2',
  onAccent: '#0f151d',
  good: '#74cb9c',
  bad: '#f39491',
  wait: '#e3b55c',
  held: '#c8aaf2',
  done: '#a7b1bf',
  tintGood: '#16291f',
  tintBad: '#331a1d',
  tintWait: '#2f2613',
  tintHeld: '#281e38',
  focus: '#83b6f2',
};

const propertyOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const declared = (values: Record<Token, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `${propertyOf(name)}:${value};`)
    .join('');

const SIZES = `--space:8px;--radius:8px;--row:36px;--side:208px;
--text:15px;--small:13px;--large:22px;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;`;

/** Dark where the system asks for it, unless the person chose; `data-theme` is the choice. */
export const TOKENS_CSS = `
:root{${SIZES}${declared(LIGHT)}color-scheme:light}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${declared(DARK)}color-scheme:dark}}
:root[data-theme=dark]{${declared(DARK)}color-scheme:dark}
`;
