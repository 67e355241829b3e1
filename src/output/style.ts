import { Chalk, type ChalkInstance } from 'chalk';
import type { RenderOptions } from './render-options.ts';

export type { RenderOptions };

/** Chalk itself ignores NO_COLOR, so the level is decided by the caller and never by chalk. */
export function styleOf(options: RenderOptions): ChalkInstance {
  return new Chalk({ level: options.colour ? 1 : 0 });
}

/** How text is coloured. */
export type Paint = (text: string) => string;

/** Colours of reference classes and of what the garbage collector does. */
export function paintOf(style: ChalkInstance, word: string): Paint {
  switch (word) {
    case 'solid':
    case 'keep':
      return style.green;
    case 'dangling':
    case 'delete':
    case 'gone':
      return style.red;
    case 'waiting':
    case 'patch':
    case 'partly-gone':
    case 'terminating':
      return style.yellow;
    case 'unresolvable':
    case 'frozen':
      return style.magenta;
    case 'unknown':
      return style.cyan;
    default:
      return (text) => text;
  }
}
