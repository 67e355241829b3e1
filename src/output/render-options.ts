/** How text is shown: colours on or off, and how wide the terminal is (undefined: no limit). */
export interface RenderOptions {
  readonly colour: boolean;
  readonly width: number | undefined;
  /** Epoch milliseconds: ages are counted to here. */
  readonly now: number;
  /** Tables that can be taken apart: by what. */
  readonly groupBy?: 'rule' | 'object' | undefined;
}
