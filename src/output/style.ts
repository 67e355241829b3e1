import { Chalk, type ChalkInstance } from 'chalk';
import type { ObjectRecord } from '../kube/object-record.ts';

const coloured = new Chalk({ level: 1 });
const bare = new Chalk({ level: 0 });

/** Chalk itself ignores NO_COLOR, so the level is decided by the caller and never by chalk. */
export function styleOf({ colour }: RenderOptions): Style {
  return colour ? coloured : bare;
}

/** How text is coloured; as it is without. */
export type Paint = 'red' | 'green' | 'yellow' | 'magenta' | 'cyan' | 'bold';

/** A painter of text: chalk's. */
export type Style = ChalkInstance;

export function painted(text: string, paint: Paint | undefined, options: RenderOptions): string {
  return paint ? styleOf(options)[paint](text) : text;
}

/** Colours of reference classes and of what the garbage collector does. */
export const paints: Readonly<Partial<Record<string, Paint>>> = {
  solid: 'green',
  keep: 'green',
  dangling: 'red',
  delete: 'red',
  gone: 'red',
  waiting: 'yellow',
  patch: 'yellow',
  'partly-gone': 'yellow',
  terminating: 'yellow',
  unresolvable: 'magenta',
  frozen: 'magenta',
  unknown: 'cyan',
};

/** How text is shown: colours on or off, and how wide the terminal is (undefined: no limit). */
export interface RenderOptions {
  /** With all columns and reasons. */
  readonly wide?: boolean | undefined;
  readonly colour: boolean;
  readonly width: number | undefined;
  /** How many rows the terminal has, where it says so. */
  readonly height?: number | undefined;
  /** Draw with ASCII alone. */
  readonly ascii?: boolean | undefined;
  /** Epoch milliseconds: ages are counted to here. */
  readonly now: number;
  readonly noHeaders?: boolean | undefined;
  /** How many lines of 80 columns stand beside a preview, on stderr. */
  readonly linesBeside?: number | undefined;
  /** Labels to show beside objects, by their uid: those that are named, then all. */
  readonly labels?: LabelColumns | undefined;
  /** What changed since an earlier picture, by `markKey`: each line begins with its sign. */
  readonly marks?: ReadonlyMap<string, Mark> | undefined;
  /** What was read, where a picture needs more of it than the report: who owns whom. */
  readonly records?: readonly ObjectRecord[] | undefined;
}

export interface LabelColumns {
  readonly named: readonly string[];
  readonly all: boolean;
  of(uid: string): Readonly<Record<string, string>>;
}

/** How a line differs from an earlier picture. */
export type Mark = 'added' | 'changed' | 'gone';

/** What a line begins with, where lines are marked: as wide for lines without a mark. */
export function signOf(mark: Mark | undefined, options: RenderOptions): string {
  return mark ? painted(signs[mark].text, signs[mark].paint, options) : noSign;
}

const signs = {
  added: { text: '+ ', paint: 'green' },
  changed: { text: '~ ', paint: 'yellow' },
  gone: { text: '- ', paint: 'red' },
} as const;

export const noSign = '  ';
