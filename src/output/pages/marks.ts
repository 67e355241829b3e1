/** How a mark looks: words of a legend; lines of a drawing 16 wide and 16 high, so that no colour and no font is needed to tell marks apart. */
interface MarkLook {
  readonly words: string;
  readonly symbol: string;
  readonly light: string;
  readonly dark: string;
}

const red = { light: '#b3261e', dark: '#ff8a80' };
const orange = { light: '#8a5a00', dark: '#f0b95a' };
const teal = { light: '#00696f', dark: '#6fd6dc' };
const grey = { light: '#6b7583', dark: '#8c97a5' };

const looks = {
  goes: { words: 'is deleted', symbol: 'M4 4l8 8M12 4l-8 8', ...red },
  again: {
    words: 'is deleted and recreated',
    symbol: 'M12.5 8a4.5 4.5 0 1 1-1.6-3.4M13 1.8v3.4h-3.4',
    ...red,
  },
  stuck: {
    words: 'is blocked: deleted later, or never',
    symbol: 'M4 2.5h8M4 13.5h8M5 2.5c0 5 6 6 6 11M11 2.5c0 5-6 6-6 11',
    ...{ light: '#8e24aa', dark: '#e09cf0' },
  },
  frozen: {
    words: 'is never deleted',
    symbol: 'M8 2v12M2.8 5l10.4 6M13.2 5l-10.4 6',
    ...teal,
  },
  left: {
    words: 'stays without its owner',
    symbol: 'M2 8h3.5M10.5 8h3.5M6.5 4.5l-1 7M10.5 4.5l-1 7',
    ...orange,
  },
  changes: {
    words: 'is changed',
    symbol: 'M2.5 9.5c2-4.5 3.5-4.5 5.5-1.5s3.5 3 5.5-1.5',
    ...orange,
  },
  new: { words: 'is new', symbol: 'M8 3v10M3 8h10', light: '#1d5fb4', dark: '#82b6ff' },
  unknown: {
    words: 'unknown',
    symbol: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 12.8v.4',
    ...teal,
  },
  unseen: { words: 'was not seen', symbol: 'M8 3a5 5 0 0 1 5 5M8 13a5 5 0 0 1-5-5', ...grey },
  stays: { words: 'stays', symbol: 'M3 8.5l3.5 3.5 6.5-8', light: '#1b6e3c', dark: '#7bd49b' },
  gone: { words: 'is not there', symbol: 'M3.5 8h9', ...grey },
  plain: {
    words: 'nothing happens to it',
    symbol: 'M8 7.5v1',
    ...{ light: '#5b6675', dark: '#9aa6b5' },
  },
};

/** What a colour and its symbol mean. */
export type Mark = keyof typeof looks;

/** By mark; the colours are those of pictures and, as the build writes them into their style, of pages. */
export const markLooks: Readonly<Record<Mark, MarkLook>> = looks;

/** In the order of a legend: what to look at first. */
export const marksInOrder = Object.keys(looks) as readonly Mark[];
