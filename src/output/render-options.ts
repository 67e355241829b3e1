/** How text is shown: colours on or off, and how wide the terminal is (undefined: no limit). */
export interface RenderOptions {
  readonly colour: boolean;
  readonly width: number | undefined;
  /** Draw with ASCII alone. */
  readonly ascii?: boolean | undefined;
  /** Epoch milliseconds: ages are counted to here. */
  readonly now: number;
  readonly noHeaders?: boolean | undefined;
  /** Labels to show beside objects, by their uid: those that are named, then all. */
  readonly labels?: LabelColumns | undefined;
  /** Tables that can be taken apart: by what. */
  readonly groupBy?: 'rule' | 'object' | undefined;
}

export interface LabelColumns {
  readonly named: readonly string[];
  readonly all: boolean;
  of(uid: string): Readonly<Record<string, string>>;
}
