/** Changing what names stand for, and looking at what they stood for before. */
import { type History, historyOf } from './history.ts';
import { type Publisher, type PublisherPorts, publisherOf } from './publisher.ts';

export type Publishing = Publisher & History;

export const publishingOf = (ports: PublisherPorts): Publishing => ({ ...publisherOf(ports), ...historyOf(ports) });
