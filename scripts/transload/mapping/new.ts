/** `mapping new`: a mapping made from a sample. */
import type { Command } from 'commander';
import type { Definitions } from '../definitions.ts';

export function addNewMapping(_mapping: Command, _definitions: Definitions): void {}
