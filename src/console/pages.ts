/** The console's pages, as the HTTP edge needs them. */
import type { Pages } from '../http/edge/ports.ts';
import { problemPage } from './frame.tsx';
import { CONSOLE_CSS } from './style.ts';

export const consolePages: Pages = { problem: problemPage, css: CONSOLE_CSS };
