/** What a colour and its symbol mean. */
export type Mark =
  | 'plain'
  | 'stays'
  | 'goes'
  | 'again'
  | 'stuck'
  | 'left'
  | 'changes'
  | 'new'
  | 'gone'
  | 'unseen'
  | 'frozen'
  | 'unknown';

/** In the order of a legend: what to look at first. */
export const marksInOrder: readonly Mark[] = [
  'goes',
  'again',
  'stuck',
  'frozen',
  'left',
  'changes',
  'new',
  'unknown',
  'unseen',
  'stays',
  'gone',
  'plain',
];

/** What a legend says of it. */
export const markWords: Readonly<Record<Mark, string>> = {
  plain: 'nothing happens to it',
  stays: 'stays',
  goes: 'is deleted',
  again: 'is deleted and made again',
  stuck: 'is held: it goes later, or never',
  left: 'stays without its owner',
  changes: 'is changed',
  new: 'is new',
  gone: 'is not there',
  unseen: 'was not seen',
  frozen: 'is never deleted',
  unknown: 'unknown',
};

/** Lines of a drawing 16 wide and 16 high, so that no colour and no font is needed to tell marks apart. */
export const markSymbols: Readonly<Record<Mark, string>> = {
  plain: 'M8 7.5v1',
  stays: 'M3 8.5l3.5 3.5 6.5-8',
  goes: 'M4 4l8 8M12 4l-8 8',
  again: 'M12.5 8a4.5 4.5 0 1 1-1.6-3.4M13 1.8v3.4h-3.4',
  stuck: 'M4 2.5h8M4 13.5h8M5 2.5c0 5 6 6 6 11M11 2.5c0 5-6 6-6 11',
  left: 'M2 8h3.5M10.5 8h3.5M6.5 4.5l-1 7M10.5 4.5l-1 7',
  changes: 'M2.5 9.5c2-4.5 3.5-4.5 5.5-1.5s3.5 3 5.5-1.5',
  new: 'M8 3v10M3 8h10',
  gone: 'M3.5 8h9',
  unseen: 'M8 3a5 5 0 0 1 5 5M8 13a5 5 0 0 1-5-5',
  frozen: 'M8 2v12M2.8 5l10.4 6M13.2 5l-10.4 6',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 12.8v.4',
};

/** Of pictures and, as the build writes them into their style, of pages. */
export const markColours: Readonly<Record<'light' | 'dark', Readonly<Record<Mark, string>>>> = {
  light: {
    plain: '#5b6675',
    stays: '#1b6e3c',
    goes: '#b3261e',
    again: '#b3261e',
    stuck: '#8e24aa',
    left: '#8a5a00',
    changes: '#8a5a00',
    new: '#1d5fb4',
    gone: '#6b7583',
    unseen: '#6b7583',
    frozen: '#00696f',
    unknown: '#00696f',
  },
  dark: {
    plain: '#9aa6b5',
    stays: '#7bd49b',
    goes: '#ff8a80',
    again: '#ff8a80',
    stuck: '#e09cf0',
    left: '#f0b95a',
    changes: '#f0b95a',
    new: '#82b6ff',
    gone: '#8c97a5',
    unseen: '#8c97a5',
    frozen: '#6fd6dc',
    unknown: '#6fd6dc',
  },
};
