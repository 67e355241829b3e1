/**
 * How many steps a backtracking matcher takes, as V8's does without its short cuts: patterns are measured by counting,
 * since a clock measures the machine.
 */
type Item =
  | { readonly kind: 'set'; readonly has: (char: string) => boolean }
  | { readonly kind: 'at'; readonly holds: (text: string, at: number) => boolean }
  | {
      readonly kind: 'look';
      readonly body: Item;
      readonly ahead: boolean;
      readonly wanted: boolean;
    }
  | { readonly kind: 'all'; readonly items: readonly Item[] }
  | { readonly kind: 'any'; readonly choices: readonly Item[] }
  | { readonly kind: 'group'; readonly body: Item; readonly index: number | undefined }
  | { readonly kind: 'same'; readonly index: number }
  | {
      readonly kind: 'repeat';
      readonly body: Item;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    };

/** More steps than any linear pattern takes on the texts that are tried. */
const mostSteps = 400_000;

export class TooManySteps extends Error {}

export class CountedPattern {
  readonly #root: Item;
  readonly #flags: string;
  readonly #sets: ((char: string) => boolean)[] = [];
  readonly #prefixes: string[] = [''];
  #steps = 0;

  constructor({ source, flags }: RegExp) {
    this.#flags = flags;
    const reader = new PatternReader(source, flags, this.#sets);
    this.#root = reader.read();
    this.#addPrefixes(this.#root, '');
  }

  /** Characters of which each is treated otherwise by some part of the pattern. */
  get characters(): readonly string[] {
    const bySets = new Map<string, string>();
    for (const char of alphabet) {
      const key = this.#sets.map((has) => (has(char) ? 1 : 0)).join('');
      if (!bySets.has(key)) bySets.set(key, char);
    }
    return [...bySets.values()];
  }

  /** Texts that lead to each part that is repeated without limit. */
  get prefixes(): readonly string[] {
    return [...new Set(this.#prefixes)];
  }

  /** Of finding every match in the text, or the first, as the flags say. */
  stepsOn(text: string): number {
    this.#steps = 0;
    const isSticky = this.#flags.includes('y');
    for (let start = 0; start <= text.length; ) {
      this.#count();
      const end = this.#match(this.#root, text, start, new Map(), (at) => at);
      if (end === undefined ? isSticky : !this.#flags.includes('g')) break;
      start = end === undefined || end === start ? start + 1 : end;
    }
    return this.#steps;
  }

  #count(): void {
    if (++this.#steps > mostSteps) throw new TooManySteps();
  }

  #match(
    item: Item,
    text: string,
    at: number,
    groups: Map<number, string>,
    next: (at: number) => number | undefined,
  ): number | undefined {
    this.#count();
    switch (item.kind) {
      case 'set':
        return at < text.length && item.has(text[at] ?? '') ? next(at + 1) : undefined;
      case 'at':
        return item.holds(text, at) ? next(at) : undefined;
      case 'look': {
        // Behind: whatever begins before may end here.
        const starts = item.ahead
          ? [at]
          : Array.from({ length: Math.min(at, 8) + 1 }, (_, i) => at - i);
        const found = starts.some(
          (start) =>
            this.#match(item.body, text, start, groups, (end) =>
              item.ahead || end === at ? end : undefined,
            ) !== undefined,
        );
        return found === item.wanted ? next(at) : undefined;
      }
      case 'all': {
        const from = (index: number, place: number): number | undefined => {
          const part = item.items[index];
          return part
            ? this.#match(part, text, place, groups, (end) => from(index + 1, end))
            : next(place);
        };
        return from(0, at);
      }
      case 'any': {
        for (const choice of item.choices) {
          const end = this.#match(choice, text, at, groups, next);
          if (end !== undefined) return end;
        }
        return undefined;
      }
      case 'group':
        return this.#match(item.body, text, at, groups, (end) => {
          if (item.index !== undefined) groups.set(item.index, text.slice(at, end));
          return next(end);
        });
      case 'same': {
        const same = groups.get(item.index) ?? '';
        return text.startsWith(same, at) ? next(at + same.length) : undefined;
      }
      case 'repeat': {
        const again = (count: number, place: number): number | undefined => {
          const more = () =>
            count < item.most
              ? this.#match(item.body, text, place, groups, (end) =>
                  end === place && count >= item.least ? undefined : again(count + 1, end),
                )
              : undefined;
          if (count < item.least) return more();
          return item.lazy ? (next(place) ?? more()) : (more() ?? next(place));
        };
        return again(0, at);
      }
    }
  }

  /** Adds what leads to each repeated part; answers a text that the item takes. */
  #addPrefixes(item: Item, before: string): string {
    switch (item.kind) {
      case 'set':
        return alphabet.find(item.has) ?? '';
      case 'all':
        return item.items.reduce((text, part) => text + this.#addPrefixes(part, before + text), '');
      case 'any':
        return item.choices.map((choice) => this.#addPrefixes(choice, before))[0] ?? '';
      case 'look':
      case 'group':
        return this.#addPrefixes(item.body, before);
      case 'repeat': {
        if (item.most === Infinity) this.#prefixes.push(before);
        const one = this.#addPrefixes(item.body, before);
        return one.repeat(item.least);
      }
      default:
        return '';
    }
  }
}

const alphabet = [
  ...'a:/.-_ \n\r\t0',
  ...'=,;#*`$%@&!?+~^|\\"\'<>()[]{}',
  ...'bzAZ19kKegtTsx',
  '\u0000',
  '\u001b',
  '\u00e9',
  '\u202e',
];

/** Reads a pattern as far as this project's go; throws for what it does not know. */
class PatternReader {
  readonly #source: string;
  readonly #flags: string;
  readonly #sets: ((char: string) => boolean)[];
  #at = 0;
  #groups = 0;

  constructor(source: string, flags: string, sets: ((char: string) => boolean)[]) {
    this.#source = source;
    this.#flags = flags.replace(/[gyd]/g, '');
    this.#sets = sets;
  }

  read(): Item {
    const item = this.#choices();
    if (this.#at < this.#source.length)
      throw new Error(`not read: ${this.#source.slice(this.#at)}`);
    return item;
  }

  #take(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #choices(): Item {
    const choices = [this.#sequence()];
    while (this.#take(/\|/)) choices.push(this.#sequence());
    return choices.length === 1 ? (choices[0] as Item) : { kind: 'any', choices };
  }

  #sequence(): Item {
    const items: Item[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      items.push(this.#quantified(this.#atom()));
    }
    return { kind: 'all', items };
  }

  #quantified(body: Item): Item {
    const mark = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/);
    if (mark === undefined) return body;
    const lazy = this.#take(/\?/) !== undefined;
    const [, low = '', comma, high] = /^\{(\d+)(,?)(\d*)\}$/.exec(mark) ?? [];
    const least = mark.startsWith('{') ? Number(low) : mark === '+' ? 1 : 0;
    const most =
      mark === '?'
        ? 1
        : !mark.startsWith('{')
          ? Infinity
          : comma
            ? Number(high || Infinity)
            : least;
    return { kind: 'repeat', body, least, most, lazy };
  }

  #atom(): Item {
    const look = this.#take(/\(\?<?[=!]/);
    if (look !== undefined) {
      return {
        kind: 'look',
        body: this.#closed(),
        ahead: !look.includes('<'),
        wanted: look.endsWith('='),
      };
    }
    if (this.#take(/\(\?:/) !== undefined) return this.#closed();
    if (this.#take(/\((?:\?<\w+>)?/) !== undefined) {
      const index = ++this.#groups;
      return { kind: 'group', body: this.#closed(), index };
    }
    if (this.#take(/\^/)) return { kind: 'at', holds: this.#start };
    if (this.#take(/\$/)) return { kind: 'at', holds: this.#end };
    const edge = this.#take(/\\[bB]/);
    if (edge !== undefined)
      return { kind: 'at', holds: (text, at) => isEdge(text, at) === (edge === '\\b') };
    const same = this.#take(/\\[1-9]/);
    if (same !== undefined) return { kind: 'same', index: Number(same.slice(1)) };
    const set = this.#take(
      /\[(?:[^\]\\]|\\.)*\]|\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]*\}|.)|[^\\]/i,
    );
    if (set === undefined) throw new Error(`not read: ${this.#source.slice(this.#at)}`);
    const whole = new RegExp(`^(?:${set})$`, this.#flags.replace('m', ''));
    const has = (char: string) => whole.test(char);
    this.#sets.push(has);
    return { kind: 'set', has };
  }

  #closed(): Item {
    const body = this.#choices();
    if (this.#take(/\)/) === undefined) throw new Error(`not closed: ${this.#source}`);
    return body;
  }

  readonly #start = (text: string, at: number) =>
    at === 0 || (this.#flags.includes('m') && text[at - 1] === '\n');
  readonly #end = (text: string, at: number) =>
    at === text.length || (this.#flags.includes('m') && text[at] === '\n');
}

function isEdge(text: string, at: number): boolean {
  const isWord = (char = '') => /\w/.test(char);
  return isWord(text[at - 1]) !== isWord(text[at]);
}
